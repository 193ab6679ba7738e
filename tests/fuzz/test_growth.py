"""Time grows as the file does, also on files built to be hostile."""

from __future__ import annotations

import sys

import pytest

from tests.fuzz import growth
from tests.fuzz.growth import HOSTILE, OPERATIONS, cost

SMALL = 2**11
TIMES = 16
WORST = 6.0
"""A byte may cost so many times more in a file 16 times as long: memory, noise. Where
time grew with the square of the length, it would be 16 times.
"""


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_as_the_file_does(name: str) -> None:
    """No operation costs a byte of a long file much more than one of a short file."""
    small, large = HOSTILE[name](SMALL), HOSTILE[name](SMALL * TIMES)

    for operation in OPERATIONS:
        ratio = cost(large, operation) / cost(small, operation, 5)
        assert ratio < WORST, f"{operation}: {ratio:.1f}"


def test_the_command_prints_a_row_for_each_file_and_operation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m tests.fuzz.growth`, on small sizes."""
    monkeypatch.setattr(growth, "SIZES", (2**10, 2**11))
    monkeypatch.setattr(sys, "argv", ["tests.fuzz.growth"])

    growth.main()

    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split()[-2:] == ["1K", "2K"]
    assert len(rows) == len(HOSTILE) * len(OPERATIONS)
