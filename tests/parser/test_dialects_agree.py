"""Each dialect against a plain reading of its clauses, and against that of 1994."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_robots1994.parser import LineKind, print_records
from scrapy_robots1994.parser.dialects import dialect_named
from scrapy_robots1994.parser.first_match import stretches
from scrapy_robots1994.parser.names import names_of
from scrapy_robots1994.parser.records import applied
from scrapy_robots1994.parser.source import Source, contents_of
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser import oracle
from tests.parser.strategies import (
    ENDS,
    FIELDS,
    PATHS,
    TAILS,
    VALUES,
    paths,
    readings,
    robots,
)
from tests.support.corpus import corpus_files

FURTHER_FIELDS = ("Allow: ", "allow:", "Crawl-delay: ", "Sitemap: ")
FURTHER_VALUES = ("5", "0.5", "/a /b", "rex *", "/a%4", "http://h.example/a")

texts = st.lists(
    st.builds(
        "".join,
        st.tuples(
            st.sampled_from((*FIELDS, *FURTHER_FIELDS)),
            st.sampled_from((*VALUES, *FURTHER_VALUES)),
            st.sampled_from(TAILS),
            st.sampled_from(ENDS),
        ),
    ),
    max_size=14,
).map("".join)
dialects = st.sampled_from(["revisited", "extended"])

SMALL = 2_000
"""Characters up to which the slow reading is quick enough."""


def events(text: str, dialect: str) -> list[tuple[str, Any, int]]:
    """Say what each line does, as `oracle.events`; a rule says whether it allows."""
    found: list[tuple[str, Any, int]] = []
    for number, line in enumerate(oracle.split_lines(text), 1):
        content = line.split("#")[0].strip(" \t")
        if content == "" and "#" not in line:
            found.append(("blank", "", number))
        if ":" not in content:
            continue
        field, value = content.split(":", 1)
        field, value = field.strip(" \t").lower(), value.strip(" \t")
        parts = (
            value.replace("\t", " ").split(" ") if dialect == "revisited" else [value]
        )
        if field == "user-agent":
            names = [part.split("/")[0].strip(" \t") for part in parts]
            found += [("agent", name, number) for name in names if name]
        elif field == "disallow" or (field == "allow" and dialect == "extended"):
            allows = field == "allow"
            found += [("disallow", (allows, part), number) for part in parts]
    return found


def allowed(
    text: str, path: str, names: list[str], *, cautious: bool, dialect: str
) -> bool:
    """Whether a robot that goes by *names* may retrieve *path*, rule by rule.

    In revisited any rule that covers the path forbids it; in extended the first of its
    record that does decides.
    """
    if oracle.decoded(path) == oracle.decoded("/robots.txt"):
        return True
    found = events(text, dialect)
    plain: list[Any] = [found, oracle.without_splits(found)] if cautious else [found]
    for reading in plain:
        for rules in oracle.applying(oracle.records(reading), names):
            covering = [it for it in rules if oracle.starts(path, it[1])]
            if covering and not covering[0][0]:
                return False
    return True


@settings(max_examples=1_500, deadline=None)
@given(texts, paths, robots, readings, dialects)
def test_both_readings_of_a_dialect_agree(
    text: str, path: str, robot: str | bytes, reading: str, dialect: str
) -> None:
    """No made file, path and robot gets another answer from the plain reading, by path,
    by URL, a second time, or as a verdict.
    """
    names = [name for name in names_of(robot).split("\n") if name]
    file = RobotsTxt.parse(text, dialect=dialect, reading=reading)
    url = f"https://h.example{path}"

    answer = file.allowed(path, robot)

    cautious = reading == "cautious"
    assert answer is allowed(text, path, names, cautious=cautious, dialect=dialect)
    if "http" not in text:
        assert file.allowed(url, robot) is answer
    assert file.verdict(url, robot).allowed is file.allowed(url, robot)
    assert file.allowed(url, robot) is file.allowed(url, robot)
    assert not file.rules(robot).is_open or answer


@settings(max_examples=500, deadline=None)
@given(texts, robots, readings)
def test_the_same_delay_by_the_records_of_the_file(
    text: str, robot: str | bytes, reading: str
) -> None:
    """The longest that a record says which applies, in either reading."""
    contents = contents_of(
        Source(text.encode(), dialect_named("extended"), is_truncated=False)
    )
    names = names_of(robot)
    records = applied(contents.records, names)
    if reading == "cautious":
        records += applied(contents.joined, names)

    found = RobotsTxt.parse(text, dialect="extended", reading=reading).rules(robot)

    delays = [delay.seconds for record in records for delay in record.delays]
    assert found.crawl_delay == max(delays, default=None)


@settings(max_examples=300, deadline=None)
@given(texts, dialects, readings)
def test_every_line_is_accounted_for_in_every_dialect(
    text: str, dialect: str, reading: str
) -> None:
    """Lines join to the text again; records print as what they are; problems are found
    without a fault.
    """
    file = RobotsTxt.parse(text, dialect=dialect, reading=reading)

    assert "".join(line.text + line.ending for line in file.lines) == file.text
    printed = print_records(file.records)
    again = RobotsTxt.parse(printed, dialect=dialect)
    assert print_records(again.records) == printed
    assert file.problems == tuple(sorted(file.problems, key=lambda it: it.line))


@pytest.mark.parametrize("dialect", ["revisited", "extended"])
def test_both_readings_of_a_dialect_agree_on_the_corpus(dialect: str) -> None:
    """Small files of the corpus get the same answers."""
    bodies = [body for _, body in corpus_files()[::12]]
    files = [RobotsTxt.parse(body, dialect=dialect) for body in bodies]
    for file in (file for file in files if len(file.text) <= SMALL):
        ruling = file.rules("googlebot")
        values = {it.value for it in file.lines if it.value.startswith("/")}
        for path in {*PATHS, *values, *(f"{value}x" for value in values)}:
            assert ruling.allowed(path) is allowed(
                file.text, path, ["googlebot"], cautious=False, dialect=dialect
            )


def test_a_file_of_1994_alone_reads_the_same_in_every_dialect() -> None:
    """Where a file has one name and one path a line, and no other field, nothing
    changes.
    """
    for _, body in corpus_files()[::6]:
        file = RobotsTxt.parse(body)
        kept = [it for it in file.lines if it.kind is not LineKind.UNKNOWN]
        plain = [it for it in kept if " " not in it.value and "\t" not in it.value]
        text = "".join(line.text + line.ending for line in plain)
        paths_of = {line.value for line in plain if line.value.startswith("/")}
        asked = sorted(paths_of)[:20]
        for robot in ("googlebot", "nobody"):
            answers = {
                tuple(
                    map(RobotsTxt.parse(text, dialect=it).rules(robot).allowed, asked)
                )
                for it in ("1994", "revisited", "extended")
            }
            assert len(answers) == 1


@given(st.lists(st.tuples(st.text("ab\U0010ffff", max_size=4), st.booleans())))
@example([("\U0010ffff", True), ("\U0010ffffa", False)])
def test_one_look_into_the_stretches_finds_the_first_rule(
    rules: list[tuple[str, bool]],
) -> None:
    """Of all rules that a text begins with, the one with the lowest mark."""
    marked = [(text, 2 * n + forbids) for n, (text, forbids) in enumerate(rules)]

    made = stretches(marked)

    for text in {"", "b", *(text + end for text, _ in rules for end in ("", "a", "c"))}:
        covering = [mark for rule, mark in marked if text.startswith(rule)]
        assert made.at(text) == min(covering, default=1 << 62)
