"""Ask the package and the naive parser the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from scrapy_robots1994 import RobotsTxt
from tests.oracle.generator import Case, Question
from tests.oracle.reading import DIALECTS, FEATURES, Answer, Reading

THREADS = 4

DECIDED_SHARE = 0.25
"""The minimum share of questions that a rule must decide."""

FEATURE_SHARE = 0.01
"""The minimum share of files in which each of `FEATURES` must decide a question."""


@dataclass(frozen=True)
class Difference:
    """A question that the package and the naive parser answer differently."""

    body: bytes | str
    dialect: str
    question: Question
    expected: Row
    given: Row

    def __str__(self) -> str:
        """Return a text with all values that are needed to reproduce the difference."""
        return (
            f"{self.dialect}\n"
            f"    file      {self.body!r}\n"
            f"    URL       {self.question.url!r}\n"
            f"    robot     {self.question.robot!r}\n"
            f"    expected  {self.expected}\n"
            f"    given     {self.given}"
        )


class Row(NamedTuple):
    """The values of an answer that are compared: fields of the verdict, and the crawl
    delay.
    """

    allowed: bool
    reason: str
    line: int | None
    rule: str | None
    spelling: str | None
    crawl_delay: float | None


def parse(body: bytes | str, dialect: str) -> RobotsTxt:
    """Parse a file with the package."""
    return RobotsTxt.parse(body, dialect=dialect)


def ask(robots: RobotsTxt, question: Question) -> Row:
    """Return the answer of the package to *question*. If `allowed()` and `verdict()`
    differ, the reason in the answer says that the two methods differ.
    """
    allowed = robots.allowed(question.url, question.robot)
    verdict = robots.verdict(question.url, question.robot)
    reason = verdict.reason.value
    if verdict.allowed != allowed:
        reason = "allowed() and verdict() differ"
    delay = robots.rules(question.robot).crawl_delay
    return Row(allowed, reason, verdict.line, verdict.rule, verdict.spelling, delay)


def expect(naive: Reading, question: Question) -> tuple[Row, Answer]:
    """Return the answer of the naive parser, first as a row and then with its features."""
    answer = naive.answer(*question)
    return Row(*answer[:-1], naive.crawl_delay(question.robot)), answer


class Tally:
    """Counts the questions that a rule decided. Also counts, for each feature, the files
    in which the feature decided a question.
    """

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
        """The messages about a run that tests too little. A message says that a feature
        decided a question in too few files, or that a rule decided too few questions.
        """
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
    """Ask all questions of *case* in each dialect, and yield the differences.

    One `RobotsTxt` object answers all questions. Then a new object answers the last
    question again. If *threads* is true, several threads share the first object. *tally*
    counts the answers.
    """
    everything: list[tuple[Row, Answer]] = []
    for dialect in dialects:
        naive = Reading(case.body, dialect)
        expected = [expect(naive, question) for question in case.questions]
        everything += expected
        robots = parse(case.body, dialect)
        if threads:
            with ThreadPoolExecutor(THREADS) as pool:
                given = list(pool.map(lambda q: ask(robots, q), case.questions))  # noqa: B023 (used at once)
        else:
            given = [ask(robots, question) for question in case.questions]
        rows = list(zip(case.questions, expected, given, strict=True))
        if rows:
            question, answer, _ = rows[-1]
            fresh = parse(case.body, dialect)
            rows.append((question, answer, ask(fresh, question)))
        for question, (row, _), got in rows:
            if row != got:
                yield Difference(case.body, dialect, question, row, got)
    if tally is not None:
        tally.add(everything)
