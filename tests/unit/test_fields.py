"""The rows of fields and kinds of lines: each row has all its texts."""

from __future__ import annotations

from pathlib import Path

import pytest

import tests.oracle.words
from scrapy_robots1994.commands.lint_report import Report
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.parser.fields import (
    EVERY,
    FIELD_NAMED,
    FIELDS,
    IDLE,
    WHY_IGNORED,
    Field,
    LineKind,
    Role,
)
from scrapy_robots1994.robotstxt import RobotsTxt

IN_USE = [field for field in FIELDS if field.dialects]
VALUES: dict[str, tuple[str, str | None, object]] = {
    "User-agent": ("x", "", ("x",)),
    "Disallow": ("/x", None, "/x"),
    "Allow": ("/x", None, "/x"),
    "Crawl-delay": ("5", "soon", 5.0),
    "Sitemap": ("http://h.test/x.xml", None, "http://h.test/x.xml"),
}
"""For each field that a dialect has: a good value, a bad value, and the meaning of the good
value.
"""


@pytest.mark.parametrize("field", FIELDS, ids=lambda it: it.name)
def test_field_has_its_words(field: Field) -> None:
    """The row of each field has the texts that lint and the reference show."""
    assert field.meaning
    assert bool(field.dialects) is (field.role is not Role.NONE)
    assert field.dialects <= EVERY == set(DIALECTS)
    assert FIELD_NAMED[field.key] is field
    assert (field.effect is not None) is bool(field.dialects)


def test_every_kind_of_line_is_explained() -> None:
    """Each kind of line belongs to a field, is in `IDLE`, or has a reason in
    `WHY_IGNORED`.
    """
    kinds = {field.kind for field in IN_USE}

    assert kinds.isdisjoint(WHY_IGNORED)
    assert kinds | IDLE | set(WHY_IGNORED) == set(LineKind)


def test_every_field_has_its_values_here_and_among_the_words_of_the_oracle() -> None:
    """Each field has its values in `VALUES`, and occurs in the words of the oracle."""
    tried = {name for name, (_, bad, _) in VALUES.items() if bad is not None}
    words = Path(tests.oracle.words.__file__).read_text("utf-8").lower()
    # Add User-agent, because `OTHER_FIELDS` contains no field whose values are robot
    # names. The oracle takes bad robot names from other words.
    generated = {"User-agent", *tests.oracle.words.OTHER_FIELDS}

    rules = {field.name for field in IN_USE if field.role is Role.RULE}
    assert rules == set(tests.oracle.words.RULE_FIELDS)
    assert set(VALUES) == {field.name for field in IN_USE}
    assert tried == {field.name for field in IN_USE if field.bad_kind is not None}
    assert tried == generated
    assert [field.name for field in IN_USE if field.key not in words] == []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("field", IN_USE, ids=lambda it: it.name)
def test_line_of_a_field_has_its_kind_in_its_dialects_alone(
    field: Field, dialect: str
) -> None:
    """A line has the kind of its field in each dialect that has the field. In every other
    dialect, the field is unknown.
    """
    value, _, said = VALUES[field.name]
    body = f"User-agent: x\n{field.name}: {value}\nDisallow: /\n"

    robots = RobotsTxt.parse(body, dialect=dialect)
    line = robots.lines[1]
    effect = Report("x", robots).effects[1]

    expected = field.kind if (dialect in field.dialects) else LineKind.UNKNOWN
    assert line.kind is expected
    assert (line.why_ignored is None) is (dialect in field.dialects)
    assert effect.startswith("ignored: ") is not (dialect in field.dialects)
    is_pause = field.role is Role.PAUSE and (dialect in field.dialects)
    assert robots.rules("x").crawl_delay == (said if is_pause else None)


@pytest.mark.parametrize("field", IN_USE, ids=lambda it: it.name)
def test_bad_value_has_no_effect_and_is_a_problem(field: Field) -> None:
    """A bad value has no effect, and its problem is reported. A field without a bad value
    accepts any text.
    """
    good, bad, said = VALUES[field.name]
    assert field.read is None or field.read(good) == said
    if bad is None or field.bad_kind is None:
        return
    dialect = next(name for name in DIALECTS if name in field.dialects)
    body = f"User-agent: x\n{field.name}: {bad}\nDisallow: /\n"

    robots = RobotsTxt.parse(body, dialect=dialect)

    assert robots.lines[1].kind is field.bad_kind
    assert 2 in [it.line for it in robots.problems]
    assert robots.rules("x").crawl_delay is None
