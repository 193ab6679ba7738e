"""Ask the package and the naive parser the same questions, and minimise differences."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from scrapy_robots1994 import RobotsTxt
from tests.oracle.generator import Case, Question
from tests.oracle.reading import DIALECTS, FEATURES, READINGS, Answer, Reading

THREADS = 4
SECONDS_TO_MINIMISE = 10

DECIDED_SHARE = 0.25
"""The least share of questions that a rule must decide."""

FEATURE_SHARE = 0.01
"""The least share of files in which each of `FEATURES` must decide a question."""


@dataclass(frozen=True)
class Difference:
    """A question that the package and the naive parser answer differently."""

    body: bytes | str
    dialect: str
    reading: str
    question: Question
    expected: Row
    given: Row

    def __str__(self) -> str:
        """Return everything that reproduces the difference."""
        return (
            f"{self.dialect}, {self.reading}\n"
            f"    file      {self.body!r}\n"
            f"    URL       {self.question.url!r}\n"
            f"    robot     {self.question.robot!r}\n"
            f"    expected  {self.expected}\n"
            f"    given     {self.given}"
        )


class Row(NamedTuple):
    """What is compared: all that a verdict says, and the crawl delay."""

    allowed: bool
    reason: str
    line: int | None
    rule: str | None
    spelling: str | None
    crawl_delay: float | None


def parse(body: bytes | str, dialect: str, reading: str) -> RobotsTxt:
    """Parse a file with the package."""
    return RobotsTxt.parse(body, dialect=dialect, reading=reading)


def ask(robots: RobotsTxt, question: Question) -> Row:
    """Return the package's answer, also where `allowed()` contradicts the verdict."""
    allowed = robots.allowed(question.url, question.robot)
    verdict = robots.verdict(question.url, question.robot)
    reason = verdict.reason.value
    if verdict.allowed != allowed:
        reason = "allowed() and verdict() differ"
    delay = robots.rules(question.robot).crawl_delay
    return Row(allowed, reason, verdict.line, verdict.rule, verdict.spelling, delay)


def expect(naive: Reading, question: Question) -> tuple[Row, Answer]:
    """Return the answer of the naive parser, as a row and with its features."""
    answer = naive.answer(*question)
    return Row(*answer[:-1], naive.crawl_delay(question.robot)), answer


class Tally:
    """How many questions rules decided, and in how many files each feature did."""

    def __init__(self) -> None:
        self.questions = self.decided = self.files = 0
        self.features: Counter[str] = Counter()

    def add(self, answers: list[tuple[Row, Answer]]) -> None:
        """Count the answers to all questions about one file."""
        self.files += 1
        self.questions += len(answers)
        self.decided += sum(row.line is not None for row, _ in answers)
        found = {feature for _, answer in answers for feature in answer.features}
        if any(row.crawl_delay is not None for row, _ in answers):
            found.add("crawl delay")
        self.features.update(found)

    @property
    def shortfalls(self) -> list[str]:
        """What occurred too seldom for the run to prove anything about it."""
        short = [
            f"{name}: decides in {self.features[name]} of {self.files} files"
            for name in FEATURES
            if self.features[name] < FEATURE_SHARE * self.files
        ]
        if self.decided < DECIDED_SHARE * self.questions:
            short.append(f"a rule decides {self.decided} of {self.questions} questions")
        return short


def differences(
    case: Case,
    dialects: tuple[str, ...] = DIALECTS,
    *,
    threads: bool = False,
    tally: Tally | None = None,
) -> Iterator[Difference]:
    """Ask all questions of a case in each dialect and reading.

    One object answers all of them in turn, and a new one answers the last again. With
    *threads*, several threads share the object. *tally* counts what occurred.
    """
    everything: list[tuple[Row, Answer]] = []
    for dialect in dialects:
        for reading in READINGS:
            naive = Reading(case.body, dialect, reading)
            expected = [expect(naive, question) for question in case.questions]
            everything += expected
            robots = parse(case.body, dialect, reading)
            if threads:
                with ThreadPoolExecutor(THREADS) as pool:
                    given = list(pool.map(lambda q: ask(robots, q), case.questions))  # noqa: B023 (used at once)
            else:
                given = [ask(robots, question) for question in case.questions]
            rows = list(zip(case.questions, expected, given, strict=True))
            if rows:
                question, answer, _ = rows[-1]
                fresh = parse(case.body, dialect, reading)
                rows.append((question, answer, ask(fresh, question)))
            for question, (row, _), got in rows:
                if row != got:
                    yield Difference(case.body, dialect, reading, question, row, got)
    if tally is not None:
        tally.add(everything)


def minimised(found: Difference) -> Difference:
    """Return the same kind of difference with as few lines and characters as possible."""
    best = found
    lines = lines_of(found.body)
    size = len(lines)
    until = time.monotonic() + SECONDS_TO_MINIMISE
    while size:
        start = 0
        while start < len(lines) and time.monotonic() < until:
            fewer = lines[:start] + lines[start + size :]
            retried = retry(best, joined(fewer, found.body), best.question.url)
            if retried:
                best, lines = retried, fewer
            else:
                start += size
        size //= 2
    place = len(best.question.url)
    while place > authority_end(best.question.url):
        place -= 1
        url = best.question.url
        shorter = without_character(url, place)
        retried = retry(best, best.body, shorter)
        best = retried or best
    return best


def retry(found: Difference, body: bytes | str, url: bytes | str) -> Difference | None:
    """Return the difference for a smaller file or URL, if there still is one."""
    question = found.question._replace(url=url)
    naive = Reading(body, found.dialect, found.reading)
    expected, _ = expect(naive, question)
    given = ask(parse(body, found.dialect, found.reading), question)
    # Only the same kind: a wrong line and a wrong answer have different causes.
    same = (expected.allowed == given[0]) == (found.expected.allowed == found.given[0])
    if expected == given or not same:
        return None
    return Difference(body, found.dialect, found.reading, question, expected, given)


def lines_of(body: bytes | str) -> list[str]:
    """Return the lines of a file with their ends; bytes are decoded as Latin-1."""
    text = body.decode("latin-1") if isinstance(body, bytes) else body
    return re.findall("[^\r\n]*(?:\r\n|\r|\n|$)", text)[:-1]


def without_character(url: bytes | str, place: int) -> bytes | str:
    """Return a URL without one of its characters."""
    if isinstance(url, bytes):
        return url[:place] + url[place + 1 :]
    return url[:place] + url[place + 1 :]


def joined(lines: list[str], like: bytes | str) -> bytes | str:
    """Return a file with these lines, of the same type as *like*."""
    text = "".join(lines)
    return text.encode("latin-1") if isinstance(like, bytes) else text


def authority_end(url: bytes | str) -> int:
    """Return the index at which the path of a URL begins, or 1 without an authority."""
    text = url.decode("latin-1") if isinstance(url, bytes) else url
    match = re.match("[A-Za-z]+://[^/?#]*", text)
    return match.end() if match else 1
