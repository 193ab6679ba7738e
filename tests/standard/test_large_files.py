"""Large files are decided correctly, with little work and memory."""

from __future__ import annotations

import gc
import tracemalloc
from functools import partial

import pytest

from scrapy_robots1994 import Origin, RobotsTxt
from tests.standard.asking import DIALECTS
from tests.support.calls import calls


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_thousands_of_records_for_every_robot_are_obeyed(dialect: str) -> None:
    records = (
        f"User-agent: *\nAllow: /{number}/x\nDisallow: /{number}/\n\n"
        for number in range(5_000)
    )
    rules = RobotsTxt.parse("".join(records), dialect=dialect).rules("rex")

    assert rules.allowed("/4999/x") is (dialect != "1994")
    assert not rules.allowed("/4999/y")
    assert rules.verdict("/0/y").line == 3
    assert rules.verdict("/4999/y").line == 19_999


def test_line_of_a_rule_in_a_long_file_is_named() -> None:
    text = "User-agent: *\n" + "#\n" * 70_000 + "Disallow: /a\n"

    assert RobotsTxt.parse(text).verdict("/a", "me").line == 70_002


EQUAL = {
    "rules": "Disallow: /a\n",
    "pairs": "Allow: /a\nDisallow: /a\n",
    "spellings": "Disallow: /a\nDisallow: /%61\n",
    "lists": "Disallow: /a /a /a\n",
    "URLs": "Disallow: http://h.test/a\nDisallow: http://u@H.test:80/a\n",
    "patterns": "Disallow: /a*\nDisallow: /%61*\n",
    "cut escapes": "Disallow: /a%4\n",
    "records": "Disallow: /a\n\nUser-agent: *\n",
    "records with pairs": "Allow: /a\nDisallow: /a\n\nUser-agent: *\n",
}


@pytest.mark.parametrize("kind", EQUAL)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_equal_rules_are_one_rule(dialect: str, kind: str) -> None:
    """The first of 2,000 copies of the lines decides, with hardly more calls than for one copy."""
    found = []
    for times in (1, 2_000):
        body = "User-agent: *\n" + EQUAL[kind] * times
        robots = RobotsTxt.parse(body, dialect=dialect)
        rules = robots.rules("rex")
        urls = [f"http://h.test/{path}" for path in ("a", "%61/b", "a%41", "b")]
        decided = [rules.verdict(url) for url in urls]
        steps = calls(partial(list, map(rules.verdict, urls)))
        found.append(([(it.allowed, it.line) for it in decided], steps))
    (few, least), (many, steps) = found

    assert few == many
    assert steps <= least + 100


@pytest.mark.parametrize("dialect", DIALECTS)
def test_very_long_values_are_not_cached(dialect: str) -> None:
    """A hostile file may contain huge host names and robot names."""
    size = 200_000
    # Import modules now, so that their memory is not counted below.
    assert RobotsTxt.parse("x: y\n", dialect=dialect).problems
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(6):
            url = f"http://{number}{'a' * size}.test/x"
            robots = RobotsTxt.parse(
                f"User-agent: {number}{'a' * size}\nUser-agent: *\n"
                f"Disallow: {url}\n{number}{'a' * size}: x\n",
                dialect=dialect,
            )
            assert robots.verdict("http://h.test/x", "rex/1.0").allowed
            assert robots.problems
            assert Origin.of(url)
        del robots, url
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert taken < 2 * size
