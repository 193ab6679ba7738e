"""The claims about every file, checked with files from hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fuzz.claims import CLAIMS, Question
from tests.parser.strategies import PATHS, nearly_right_texts, readings

if TYPE_CHECKING:
    from collections.abc import Callable

ROBOTS = ("rex", "REX/2", "other", "*", "", "M/5 (compatible; Rex/1)")

bodies = st.one_of(
    st.binary(max_size=200),
    nearly_right_texts.map(lambda text: text.encode("utf-8", "surrogatepass")),
    nearly_right_texts.map(lambda text: text.encode("utf-16", "replace")),
)
questions = st.builds(
    Question,
    bodies,
    st.sampled_from(ROBOTS),
    st.sampled_from(PATHS),
    readings,
    st.integers(0, 40),
)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.__name__)
def test_claim_holds_for_any_file(claim: Callable[[Question], None]) -> None:
    """No generated file, robot, path or reading refutes it."""

    @settings(max_examples=300, deadline=None)
    @given(questions)
    @example(Question(b"", "", "/"))
    def check(question: Question) -> None:
        claim(question)

    check()
