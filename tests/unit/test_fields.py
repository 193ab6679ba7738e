"""The rows of fields and kinds of lines: each row has all its texts."""

from __future__ import annotations

import pytest

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
VALUES: dict[str, str] = {
    "User-agent": "x",
    "Disallow": "/x",
    "Allow": "/x",
    "Crawl-delay": "5",
    "Sitemap": "http://h.test/x.xml",
}
"""A good value for each field that a dialect has."""


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


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("field", IN_USE, ids=lambda it: it.name)
def test_line_of_a_field_has_its_kind_in_its_dialects_alone(
    field: Field, dialect: str
) -> None:
    """A line has the kind of its field in each dialect that has the field. In every other
    dialect, the field is unknown.
    """
    body = f"User-agent: x\n{field.name}: {VALUES[field.name]}\nDisallow: /\n"

    robots = RobotsTxt.parse(body, dialect=dialect)
    line = robots.lines[1]
    effect = Report("x", robots).effects[1]

    expected = field.kind if (dialect in field.dialects) else LineKind.UNKNOWN
    assert line.kind is expected
    assert (line.why_ignored is None) is (dialect in field.dialects)
    assert effect.startswith("ignored: ") is not (dialect in field.dialects)
    is_pause = field.role is Role.PAUSE and (dialect in field.dialects)
    assert robots.rules("x").crawl_delay == (5 if is_pause else None)
