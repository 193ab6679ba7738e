"""Each dialect against a plain reading of its clauses, and against the 1994 dialect."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scrapy_robots1994.parser import LineKind
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.parser.user_agent import longest_named, robot_names
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser import oracle
from tests.parser.records_read import obeyed_records
from tests.parser.strategies import PATHS, paths, readings, robots
from tests.parser.strategies import any_field_texts as texts
from tests.parser.strategies import dialects as all_dialects
from tests.support.corpus import corpus_files

PREFIX_DIALECTS = [it.name for it in DIALECTS.values() if not it.has_wildcards]
"""Dialects whose rules are prefixes; `test_rfc9309.py` tests the other one."""

dialects = st.sampled_from(PREFIX_DIALECTS)

SMALL = 2_000
"""The most characters for which the plain reading is fast enough."""


def names_of_value(value: str, dialect: str) -> list[str]:
    """Return the names in a User-agent value (O10, O11, K1)."""
    parts = (
        value.replace("\t", " ").split(" ") if DIALECTS[dialect].has_lists else [value]
    )
    names = [part.split("/")[0].strip(" \t") for part in parts]
    return [name for name in names if name]


def events(text: str, dialect: str) -> list[tuple[str, Any, int]]:
    """Return the same as `oracle.events`, and for each rule whether it allows."""
    found: list[tuple[str, Any, int]] = []
    for number, line in enumerate(oracle.split_lines(text), 1):
        content = line.split("#")[0].strip(" \t")
        if content == "" and "#" not in line:
            found.append(("blank", "", number))
        if ":" not in content:
            continue
        field, value = content.split(":", 1)
        field, value = field.strip(" \t").lower(), value.strip(" \t")
        if field == "user-agent":
            names = names_of_value(value, dialect)
            found += [("agent", name, number) for name in names]
        elif field == "disallow" or (field == "allow" and DIALECTS[dialect].has_allow):
            lists = DIALECTS[dialect].has_lists
            parts = value.replace("\t", " ").split(" ") if lists else [value]
            found += [("disallow", (field == "allow", part), number) for part in parts]
    return found


def applying(made: list[tuple[list[str], list[Any]]], names: list[str]) -> list[Any]:
    """Return the rules of the record with the longest matching name (X3)."""
    best: tuple[int, Any] = 0, None
    for agents, rules in made:
        lengths = [
            len(agent)
            for agent in agents
            if agent != "*" and any(agent.lower() in name for name in names)
        ]
        if max(lengths, default=0) > best[0]:
            best = max(lengths), rules
    return [best[1]] if best[0] else [rules for agents, rules in made if "*" in agents]


def allowed(
    text: str, path: str, names: list[str], *, cautious: bool, dialect: str
) -> bool:
    """Return whether a robot with these *names* may retrieve *path*, rule by rule.

    Without Allow, any rule that covers the path disallows it; with Allow, the first
    such rule of a record decides.
    """
    if oracle.decoded(path) == oracle.decoded("/robots.txt"):
        return True
    found = events(text, dialect)
    by_length = DIALECTS[dialect].choose is longest_named
    choose: Any = applying if by_length else oracle.applying
    plain: list[Any] = [found, oracle.without_splits(found)] if cautious else [found]
    for reading in plain:
        for rules in choose(oracle.records(reading), names):
            covering = [it for it in rules if oracle.starts(path, it[1])]
            if covering and not covering[0][0]:
                return False
    return True


@settings(max_examples=1_500, deadline=None)
@given(texts, paths, robots, readings, dialects)
def test_both_readings_of_a_dialect_agree(
    text: str, path: str, robot: str | bytes, reading: str, dialect: str
) -> None:
    """The parser gives the same answer by path, by URL, when repeated and as a verdict."""
    # Ours O10: names in a whole header, which this reading ignores; tests/oracle has them.
    assume("(" not in text)
    names = list(robot_names(robot))
    file = RobotsTxt.parse(text, dialect=dialect, reading=reading)
    url = f"https://h.example{path}"

    answer = file.allowed(path, robot)

    cautious = reading == "cautious"
    assert answer is allowed(text, path, names, cautious=cautious, dialect=dialect)
    if "http" not in text:
        assert file.allowed(url, robot) is answer
    assert file.verdict(url, robot).allowed is file.allowed(url, robot)
    assert file.allowed(url, robot) is file.allowed(url, robot)


@settings(max_examples=500, deadline=None)
@given(texts, robots, readings, all_dialects)
def test_crawl_delay_is_the_longest_of_the_obeyed_records(
    text: str, robot: str | bytes, reading: str, dialect: str
) -> None:
    """The cautious reading also obeys delays that a blank line split off."""
    file = RobotsTxt.parse(text, dialect=dialect, reading=reading)
    found, records = file.rules(robot), obeyed_records(file, robot)

    delays = [delay.seconds for record in records for delay in record.delays]
    if reading == "cautious":
        delays += [it.seconds for record in records for it in record.orphan_delays]
    assert found.crawl_delay == max(delays, default=None)
    assert found.crawl_delay is None or DIALECTS[dialect].has_crawl_delay


@settings(max_examples=300, deadline=None)
@given(texts, all_dialects, readings)
def test_every_line_is_accounted_for_in_every_dialect(
    text: str, dialect: str, reading: str
) -> None:
    """The lines joined are the text, printed records parse to the same ones, and
    problems are sorted by line.
    """
    file = RobotsTxt.parse(text, dialect=dialect, reading=reading)

    assert "".join(line.text + line.ending for line in file.lines) == file.text
    printed = "\n".join(map(str, file.records))
    again = RobotsTxt.parse(printed, dialect=dialect)
    assert "\n".join(map(str, again.records)) == printed
    assert file.problems == tuple(sorted(file.problems, key=lambda it: it.line))


@pytest.mark.parametrize("dialect", PREFIX_DIALECTS)
def test_both_readings_of_a_dialect_agree_on_the_corpus(dialect: str) -> None:
    """Both give the same answers for its small files."""
    bodies = [body for _, body in corpus_files()[::12]]
    files = [RobotsTxt.parse(body, dialect=dialect) for body in bodies]
    for file in (file for file in files if len(file.text) <= SMALL):
        rules = file.rules("googlebot")
        values = {it.value for it in file.lines if it.value.startswith("/")}
        for path in {*PATHS, *values, *(f"{value}x" for value in values)}:
            assert rules.allowed_url(path) is allowed(
                file.text, path, ["googlebot"], cautious=False, dialect=dialect
            )


def test_file_with_only_1994_features_has_the_same_answers_in_every_dialect() -> None:
    """Such a file has one name or path per line, and no unknown field."""
    for _, body in corpus_files()[::6]:
        file = RobotsTxt.parse(body)
        known = [it for it in file.lines if it.kind is not LineKind.UNKNOWN]
        plain = [it for it in known if " " not in it.value and "\t" not in it.value]
        text = "".join(line.text + line.ending for line in plain)
        paths_of = {line.value for line in plain if line.value.startswith("/")}
        urls = sorted(paths_of)[:20]
        for robot in ("googlebot", "nobody"):
            answers = {
                tuple(
                    RobotsTxt.parse(text, dialect=it).allowed(url, robot)
                    for url in urls
                )
                for it in PREFIX_DIALECTS
            }
            assert len(answers) == 1
