"""Files with many rules or records are read as small ones are."""

from __future__ import annotations

import gc
import random
import string
import tracemalloc

import pytest

from scrapy_robots1994 import Origin, RobotsTxt
from tests.standard.asking import DIALECTS, READINGS

HEAD = "https://www.example.com"
FILLING = "".join(f"Disallow: /filling/{number}/\n" for number in range(1_300))

RULES = [
    ("Disallow: http://h.test/\nDisallow: /a\n", "http://h.test/ab"),
    ("Disallow: http://h.test\nDisallow: /abc\nDisallow: /ab\n", "/abcd"),
    ("Disallow: http://h.test\nDisallow: /abc\n", "http://h.test/abcd"),
    ("Disallow: http://h.test\nDisallow: http://h.test:80/a\n", "http://h.test:80/a"),
    ("Disallow: /%61\nDisallow: /ab\nDisallow: /abc\n", "/abc"),
    ("Disallow: /ab\nDisallow: /a%62\n", "/abc"),
    ("Disallow: /a%4\nDisallow: /a%41b\n", "/a%41bc"),
    ("Disallow: /a%41b\nDisallow: /a%4\nAllow: /a%41\n", "/a%41bc"),
    ("Allow: /a%4\nDisallow: /a\n", "/a%41"),
    ("Disallow: /abc\nAllow: /ab\nDisallow: /a\n", "/abcd"),
    ("Disallow: /a*c\nAllow: /ab\nDisallow: /a$\n", "/abc"),
    ("Disallow: /abc\n\nDisallow: /a\n", "/abcd"),
    ("Disallow: /abc\n\nDisallow: /a\n", "/ab"),
    ("Allow: /a\n\nUser-agent: *\nDisallow: /ab\n", "/abc"),
    ("Allow: /ab\nAllow: /b\n\nUser-agent: *\nDisallow: /b\n", "/bc"),
]


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("rules", "url"), RULES)
def test_verdict_is_the_same_among_many_rules(
    rules: str, url: str, dialect: str, reading: str
) -> None:
    """Line, rule and reason do not depend on how many other rules there are."""
    record = f"User-agent: *\n{rules}"
    small = RobotsTxt.parse(record, dialect=dialect, reading=reading)
    large = RobotsTxt.parse(record + FILLING, dialect=dialect, reading=reading)

    assert large.verdict(url, "rex") == small.verdict(url, "rex")
    assert large.allowed(url, "rex") is small.verdict(url, "rex").allowed


def rules_of(count: int, dice: random.Random) -> tuple[str, ...]:
    """Return random rules, some repeated or covered by others."""
    letters = string.ascii_lowercase + "/~"
    rules = [
        "".join(dice.choices(letters, k=dice.randint(2, 30))) for _ in range(count)
    ]
    rules += [rule + "x" for rule in rules[::9]] + rules[::11]
    dice.shuffle(rules)
    return tuple(f"/{rule}" for rule in rules)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("count", [20, 90, 300, 12_000])
def test_any_number_of_rules_is_obeyed(count: int, dialect: str) -> None:
    """The first and all later answers are correct, and name a rule that covers."""
    dice = random.Random(1994)  # noqa: S311 (the same rules every time is the point)
    rules = rules_of(count, dice)
    lines = "".join(f"Disallow: {rule}\n" for rule in rules)
    robots = RobotsTxt.parse(f"User-agent: *\n{lines}".encode(), dialect=dialect)
    urls = [
        f"{HEAD}{rule}{end}"
        for rule in rules[:: count // 10]
        for end in ("", "x", "#y")
    ]
    urls += [f"{HEAD}/0", f"{HEAD}/robots.txt", f"{HEAD}/%61", "/0"]
    dice.shuffle(urls)

    for url in urls * 2:
        verdict = robots.verdict(url, "rex")
        assert robots.allowed(url, "rex") is verdict.allowed
        target = url.removeprefix(HEAD).partition("#")[0].replace("%61", "a")
        covering = [it for it in rules if target.startswith(it)]
        assert verdict.allowed is not bool(covering and target != "/robots.txt")
        if verdict.line is not None:
            assert verdict.rule == rules[verdict.line - 2]
            assert verdict.rule in covering


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_thousands_of_records_for_every_robot_are_obeyed(dialect: str) -> None:
    """Ours O2, X3: each of them decides."""
    records = (
        f"User-agent: *\nAllow: /{number}/x\nDisallow: /{number}/\n\n"
        for number in range(5_000)
    )
    rules = RobotsTxt.parse("".join(records), dialect=dialect).rules("rex")

    assert rules.allowed("/4999/x") is (dialect != "1994")
    assert not rules.allowed("/4999/y")
    assert rules.verdict("/0/y").line == 3
    assert rules.verdict("/4999/y").line == 19_999


@pytest.mark.parametrize("dialect", DIALECTS)
def test_very_long_values_are_not_cached(dialect: str) -> None:
    """Names of hosts and of robots are cached, but not if a hostile file makes them huge."""
    size = 200_000
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
