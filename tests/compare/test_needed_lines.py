"""The needed lines of disagreements on real files are one-minimal."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots1994.compare.comparer import Comparison
from scrapy_robots1994.compare.diagnosis import Cause, Diagnosis, ddmin
from scrapy_robots1994.compare.impact import Totals
from scrapy_robots1994.compare.parsers import Capture, our_parser, questions
from scrapy_robots1994.compare.transforms import lines_of
from tests.support.corpus import corpus_files
from tests.support.peers import PEERS, comparer

FILES = 50
"""The number of files compared here; a command compares the whole corpus."""

LONGEST = 60_000


@cache
def totals() -> Totals:
    """Return the totals of the parsers for a part of the corpus."""
    comparing = comparer()
    found = Totals()
    files = corpus_files()
    for name, body in files[:: len(files) // FILES]:
        if len(body) <= LONGEST:
            its_questions = tuple(questions(f"http://{name}", body, max_questions=60))
            for other in PEERS:
                task = Comparison(Capture(name, body), its_questions)
                found.add_site(comparing.compare(other.name, task))
    return found


@pytest.mark.parametrize("other", PEERS, ids=lambda other: other.name)
def test_disagreement_needs_each_of_its_needed_lines(other) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - pytest hands it over
    """The lines have the same disagreement as the file; without any one they do not."""
    diagnosis = Diagnosis(our_parser(), other)
    examples = [
        (site.capture.body, way, examples[0].question)
        for site in totals().sites.values()
        for (name, way), examples in site.examples.items()
        if name == other.name
    ]
    assert examples

    for body, way, question in examples:
        lines = lines_of(body)
        needed = diagnosis.minimal_lines(lines, question)
        reduced = lines.only(needed).body
        assert diagnosis.direction(reduced, question) is way
        for gone in needed:
            left = lines.only([place for place in needed if place != gone]).body
            assert diagnosis.direction(left, question) is not way


def test_hardly_any_cause_is_other() -> None:
    """At least 98 % of the disagreements have a cause other than "other"."""
    causes = totals().causes
    other = sum(n for (_, _, cause), n in causes.items() if cause is Cause.OTHER)

    assert other <= 0.02 * causes.total()


@given(
    st.binary(max_size=200)
    | st.text("Uu:-# \r\n*/aDi\xff", max_size=80).map(lambda it: it.encode("latin-1"))
)
def test_joined_lines_are_the_body(body: bytes) -> None:
    """A body that is split into lines and joined again is the same bytes.

    The exception is UTF-16 that ends within a character, which is completed.
    """
    lines = lines_of(body)

    if lines.encoding == "utf-8":
        assert lines.body == body
    assert lines.only(range(len(lines.lines))).body == lines.body


@given(st.integers(1, 60), st.data())
def test_ddmin_finds_the_needed_set(count: int, data: st.DataObject) -> None:
    """Places that are only needed together are found, and no others."""
    needed = data.draw(st.sets(st.integers(0, count - 1), max_size=5))

    found = ddmin(count, lambda subset: needed <= set(subset))

    assert set(found) == needed
