"""Counts are exact however they are put together; samples are bounded and uniform."""

from __future__ import annotations

import random

from scrapy_robots1994.compare import (
    Capture,
    Cause,
    Direction,
    Question,
    Totals,
    disagreement,
    rank,
)
from scrapy_robots1994.compare.parsers import ALLOWS

LAXER = Direction.LAXER
CAPTURE = Capture("http://a.test", b"User-agent: *\nDisallow: /\n")


def note(totals: Totals, number: int) -> None:
    """Count one disagreement and offer it as a sample."""
    question = Question(f"http://a.test/{number}", "me")
    totals.counts["P", LAXER] += 1
    totals.causes["P", LAXER, Cause.ALLOW] += 1
    place = rank(CAPTURE.label, question)
    if totals.wants(("P", LAXER, Cause.ALLOW), place):
        found = disagreement("P", LAXER, Cause.ALLOW, CAPTURE, question, ALLOWS)
        totals.keep(place, found)


def counted(numbers: range) -> Totals:
    """Return the totals of disagreements with these numbers."""
    totals = Totals(5)
    for number in numbers:
        note(totals, number)
    return totals


def test_totals_of_parts_are_the_totals_of_the_whole() -> None:
    """Counts and samples alike, whatever the order and the parts."""
    whole = counted(range(1000))
    parts = [counted(range(start, start + 100)) for start in range(0, 1000, 100)]
    random.Random(4).shuffle(parts)  # noqa: S311 - any order will do

    together = Totals(5)
    for part in parts:
        together.add(part)

    assert together.counts == whole.counts
    assert list(together.sampled()) == list(whole.sampled())


def test_samples_are_bounded_and_a_repeated_question_is_one() -> None:
    """However often one URL disagrees, it takes one place of the sample."""
    totals = counted(range(3))
    for _ in range(100):
        note(totals, 1)

    assert len(list(totals.sampled())) == 3
    assert totals.counts["P", LAXER] == 103
    assert len(list(counted(range(500)).sampled())) == 5


def test_samples_come_from_all_over() -> None:
    """Not the first ones, not the last: each hundred of 1,000 is met."""
    hundreds = set()
    for start in range(0, 40_000, 1000):
        for found in counted(range(start, start + 1000)).sampled():
            number = int(found.question.url.rpartition("/")[2])
            hundreds.add((number - start) // 100)

    assert hundreds == set(range(10))


def test_a_sample_holds_its_file() -> None:
    """What was compared can be looked at again."""
    (found,) = counted(range(1)).sampled()

    assert found.capture == CAPTURE
