"""Compare the answers of the package with those of the naive parser."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from scrapy_robots1994 import RobotsTxt
from tests.oracle.generator import Case, Question
from tests.oracle.reading import DIALECTS, Reading

THREADS = 4


class Row(NamedTuple):
    """The parts of a verdict that are compared, and the crawl delay."""

    allowed: bool
    reason: str
    line: int | None
    rule: str | None
    spelling: str | None
    crawl_delay: float | None


class Difference(NamedTuple):
    body: bytes | str
    dialect: str
    question: Question
    expected: Row
    given: Row


def ask(robots: RobotsTxt, question: Question) -> Row:
    """Return the package's answer. If `allowed()` and `verdict()` disagree, the reason says so."""
    allowed = robots.allowed(question.url, question.robot)
    verdict = robots.verdict(question.url, question.robot)
    reason = verdict.reason.value
    if verdict.allowed != allowed:
        reason = "allowed() and verdict() differ"
    delay = robots.rules(question.robot).crawl_delay
    return Row(allowed, reason, verdict.line, verdict.rule, verdict.spelling, delay)


def expect(naive: Reading, question: Question) -> Row:
    return Row(*naive.answer(*question), naive.crawl_delay(question.robot))


def differences(case: Case, *, threads: bool = False) -> Iterator[Difference]:
    """If *threads*, several threads share one `RobotsTxt`."""
    for dialect in DIALECTS:
        naive = Reading(case.body, dialect)
        asks = partial(ask, RobotsTxt.parse(case.body, dialect=dialect))
        with ThreadPoolExecutor(THREADS if threads else 1) as pool:
            given = list(pool.map(asks, case.questions))
        for question, row in zip(case.questions, given, strict=True):
            expected = expect(naive, question)
            if row != expected:
                yield Difference(case.body, dialect, question, expected, row)
