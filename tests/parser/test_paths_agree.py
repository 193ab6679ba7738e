"""The quick way to a ruling and the way over lines and records find the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_robots1994.parser.compilation import compile_rules
from scrapy_robots1994.parser.dialects import dialect_named
from scrapy_robots1994.parser.matching import (
    absolute,
    canonical,
    is_plain,
    prefix_free,
)
from scrapy_robots1994.parser.names import names_of
from scrapy_robots1994.parser.records import applied
from scrapy_robots1994.parser.source import Source, contents_of
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser.strategies import nearly_right_texts, paths, readings, robots
from tests.support.corpus import corpus_files

D1994 = dialect_named("1994")


def check(text: str, robot: str | bytes, reading: str) -> None:
    """Hold the compiled rules against those of the records that apply."""
    names = names_of(robot)
    contents = contents_of(Source(text.encode(), D1994, is_truncated=False))
    records = applied(contents.records, names)
    if reading == "cautious":
        records += applied(contents.joined, names)
    values = {rule.value for record in records for rule in record.rules}
    rules = [value for value in values if value.startswith("/")]

    urls = list(filter(None, map(absolute, values)))

    found, escaped, absolutes, _ = compile_rules(text.encode(), D1994, reading, names)

    assert set(found) == set(map(canonical, rules))
    assert escaped == prefix_free([it for it in (*rules, *urls) if "%" in it])
    assert absolutes == prefix_free(list(map(canonical, urls)))


@settings(max_examples=1_000, deadline=None)
@given(nearly_right_texts, robots, readings)
def test_the_same_rules_from_any_text(
    text: str, robot: str | bytes, reading: str
) -> None:
    """On made files the compiled rules are those of the records that apply."""
    check(text, robot, reading)


@pytest.mark.parametrize("reading", ["literal", "cautious"])
def test_the_same_rules_from_the_corpus(reading: str) -> None:
    """On real files, too: for robots they name, and for one they do not."""
    for _, body in corpus_files()[::4]:
        robots_txt = RobotsTxt.parse(body)
        named = [name for it in robots_txt.records[:5] for name in it.names[:2]]
        for robot in ("nobody", "googlebot", *named):
            check(robots_txt.text, robot, reading)


@settings(max_examples=1_000, deadline=None)
@given(nearly_right_texts, paths, robots, readings)
def test_the_same_answer_by_every_way_of_asking(
    text: str, path: str, robot: str | bytes, reading: str
) -> None:
    """Path, URL, URL again, and verdict: what is asked decides, not how."""
    robots_txt = RobotsTxt.parse(text, reading=reading)
    ruling = robots_txt.rules(robot)
    url = f"https://h.example{path}"

    answer = robots_txt.verdict(url, robot).allowed

    assert robots_txt.allowed(url, robot) is answer
    assert robots_txt.allowed(url, robot) is answer
    assert robots_txt.allowed(f"{url}#f", robot) is answer
    assert ruling.is_open <= answer
    # Ours O19: what is no more than a path has no host, so no rule with one covers it.
    of_path = robots_txt.verdict(path, robot).allowed
    assert robots_txt.allowed(path, robot) is of_path
    assert ruling.allowed(path) is of_path
    assert answer is of_path or (of_path and "://" in text)


@given(st.lists(st.text("ab/", max_size=5)), st.text("ab/", max_size=7))
def test_one_look_into_a_prefix_free_list_is_enough(
    rules: list[str], text: str
) -> None:
    """Only the last rule that sorts up to the text can cover it."""
    kept = prefix_free(rules)

    expected = any(text.startswith(rule) for rule in rules)

    assert any(text.startswith(rule) for rule in kept) is expected
    last = [rule for rule in kept if rule <= text][-1:]
    assert any(text.startswith(rule) for rule in last) is expected


@given(st.text())
def test_canonical_spelling_is_only_worth_having_where_it_differs(text: str) -> None:
    """What is plain is its own canonical spelling."""
    assert not is_plain(text) or canonical(text) == text
