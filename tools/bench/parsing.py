"""Benchmarks of the parser: parsing, verdicts, import time, and how times grow with the file."""

from __future__ import annotations

import random
import string
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

from scrapy_robots1994.robotstxt import RobotsTxt
from tools.bench.sides import ROBOT, all_sides
from tools.bench.timing import OURS, Result, exponent, race

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tools.bench.sides import Side

URLS = (
    "https://www.example.com/",
    "https://www.example.com/index.html",
    "https://www.example.com/news/2026/11/some-long-title-of-an-article",
    "https://www.example.com/search?q=robots&page=2",
    "https://www.example.com/wp-content/uploads/2020/01/picture.jpg",
    "https://www.example.com/products/12345?utm_source=x#reviews",
    "https://www.example.com/tmp/file",
    "https://www.example.com/cgi-bin/script.pl",
)
"""Plain pages, queries, a fragment, and two URLs that `TEN` disallows."""

TEN = b"User-agent: *\n" + b"".join(
    b"Disallow: /%b/\n" % word.encode()
    for word in [
        "admin",
        "cgi-bin",
        "cart",
        "checkout",
        "private",
        "search",
        "static",
        "tmp",
        "user",
        "x",
    ]
)

IMPORTING = """
import sys, time
start = time.process_time()
import scrapy_robots1994
taken = time.process_time() - start
assert not {"scrapy", "twisted"} & set(sys.modules)
print(taken)
"""

MORE_SIZES = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000, 4_000_000)
MORE_RULES = (1, 10, 100, 1_000, 10_000, 100_000)
POLICIES = 200
STEEP = 5.0


def parsing(files: Sequence[bytes], rounds: int) -> Iterator[Result]:
    """Time parsing a file alone, with a check of one URL, and with checks of eight.

    Parsing alone is not a fair comparison, because some parsers defer work to the first check.
    """
    sides, _ = all_sides()
    policies = {
        side.name: (lambda make=side.policy: [make(body) for body in files])
        for side in sides
    }
    what = "parse a file of the corpus, and select the rules of one robot"
    values = race(policies, rounds=rounds, per=len(files))
    yield Result(what, "s", values, against="Protego")
    for often, urls in ("check one URL", URLS[1:2]), ("check eight URLs", URLS):
        answered = {side.name: partial(_answered, side, files, urls) for side in sides}
        values = race(answered, rounds=rounds, per=len(files))
        target = 1.25 if urls is not URLS else 0.0
        what = f"parse a file, and {often}"
        yield Result(what, "s", values, against="Protego", target=target)


def _answered(side: Side, files: Sequence[bytes], urls: Sequence[str]) -> None:
    for body in files:
        ask = side.asks(side.policy(body))
        for url in urls:
            ask(url)


def questions(files: Sequence[bytes], rounds: int) -> Iterator[Result]:
    """Time checking one URL, for the corpus and for files with 10 and 10,000 rules."""
    sides, _ = all_sides()
    some = files[:: max(len(files) // POLICIES, 1)]
    values = race(
        {side.name: _asking(side, some) for side in sides},
        rounds=rounds,
        per=len(URLS) * len(some),
    )
    what = "check one URL, files of the corpus"
    yield Result(what, "s", values, against="Protego", target=1.2)
    parsed = [RobotsTxt.parse(body) for body in files]
    in_turn = {OURS: lambda: [it.allowed(url, ROBOT) for url in URLS for it in parsed]}
    values = race(in_turn, rounds=rounds, per=len(URLS) * len(parsed))
    yield Result("RobotsTxt.allowed, a different file each time", "s", values)
    asking = {side.name: _asking(side, [TEN]) for side in sides}
    values = race(asking, rounds=rounds, per=len(URLS))
    yield Result("check one URL, 10 rules", "s", values, against="Protego", target=1.2)
    asking = {
        OURS: _asking(sides[0], [file_of_rules(10_000)]),
        "ours with 10 rules": asking[OURS],
    }
    values = race(asking, rounds=rounds, per=len(URLS))
    yield Result(
        "check one URL, 10,000 rules",
        "s",
        values,
        against="ours with 10 rules",
        target=1 / STEEP,
    )


def _asking(side: Side, files: Sequence[bytes]) -> Callable[[], object]:
    asks = [side.asks(side.policy(body)) for body in files]
    return lambda: [ask(url) for ask in asks for url in URLS]


def file_of_rules(count: int) -> bytes:
    """Return a record of *count* rules, none of which is a prefix of another."""
    dice = random.Random(1994)  # noqa: S311 - the same file every time
    rules: set[str] = set()
    while len(rules) < count:
        words = ("".join(dice.choices(string.ascii_lowercase, k=6)) for _ in range(2))
        rules.add("/" + "/".join(words) + "/")
    shuffled = sorted(rules)
    dice.shuffle(shuffled)
    lines = "".join(f"Disallow: {rule}\n" for rule in shuffled)
    return f"User-agent: *\n{lines}".encode()


def imports(rounds: int) -> Iterator[Result]:
    """Time the import of the package in a new process, which must not load Scrapy or Twisted."""
    values = []
    for _ in range(rounds):
        command = [sys.executable, "-c", IMPORTING]
        measured = subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout
        values.append(float(measured))
    what = "import scrapy_robots1994, without scrapy or twisted"
    yield Result(what, "s", {OURS: values})


def growth(rounds: int) -> Iterator[Result]:
    """Time parsing files of growing size, and checking URLs with a growing number of rules."""
    points = []
    for size in MORE_SIZES:
        body = file_of_rules(size // 25)[:size]
        taken = race({OURS: partial(_rules_of, body)}, rounds=rounds)
        result = Result(f"parse {size:,} bytes", "s", taken)
        points.append((size, result.median(OURS)))
        yield result
    yield _fitted("parse time against size", points)
    points = []
    for count in MORE_RULES:
        asking = _asking(all_sides()[0][0], [file_of_rules(count)])
        taken = race({OURS: asking}, rounds=rounds)
        result = Result(f"check eight URLs, {count:,} rules", "s", taken)
        points.append((count, result.median(OURS)))
        yield result
    yield _fitted("time for eight URLs against rules", points)


def _rules_of(body: bytes) -> object:
    return RobotsTxt.parse(body).rules(ROBOT)


def _fitted(what: str, points: Sequence[tuple[float, float]]) -> Result:
    return Result(f"exponent of {what}", "exponent", {OURS: [exponent(points)]})
