"""The README's way to a first refusal works as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.packaging.conftest import Played


def test_the_quick_start_tells_what_it_says_it_tells(played: Played) -> None:
    """With only the built wheel: every line that the README shows is in the log."""
    missing = [line for line in played.start.told if line not in played.log]

    assert missing == []
    assert "Traceback" not in played.log
