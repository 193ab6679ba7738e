"""Tests of the claims about every file, with files that hypothesis generates."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.claims import CLAIMS, Question
from tests.unit.words import ENDS, FIELDS, PATHS, TAILS, VALUES

ROBOTS = ("rex", "REX/2", "other", "*", "", "M/5 (compatible; Rex/1)")

lines = st.builds(
    "".join,
    st.tuples(*(st.sampled_from(parts) for parts in (FIELDS, VALUES, TAILS, ENDS))),
)
texts = st.lists(lines, max_size=12).map("".join)
bodies = st.one_of(
    st.binary(max_size=200),
    texts.map(lambda text: text.encode("utf-8", "surrogatepass")),
    texts.map(lambda text: text.encode("utf-16", "replace")),
)
questions = st.builds(
    Question,
    bodies,
    st.sampled_from(ROBOTS),
    st.sampled_from(PATHS),
    st.integers(0, 40),
)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.__name__)
def test_claim_holds_for_any_file(claim: Callable[[Question], None]) -> None:
    """No generated file, robot or path refutes the claim."""

    @settings(max_examples=300, deadline=None)
    @given(questions)
    @example(Question(b"", "", "/"))
    def check(question: Question) -> None:
        claim(question)

    check()
