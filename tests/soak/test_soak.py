"""A short soak: nothing lost, nothing fetched against a policy, and a clean end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.soak import __main__ as command
from tests.soak import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
def test_a_short_soak_loses_nothing_and_opens_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`python -m tests.soak 400 60`: it ends well, writes its figures, draws them.

    Here they go to a folder of the test.
    """
    kept: list[run.Soaked] = []
    real = run.soak

    def soak(origins: int, seconds: float) -> run.Soaked:
        kept.append(real(origins, seconds, seed=8))
        return kept[0]

    monkeypatch.setattr(run, "soak", soak)
    monkeypatch.setattr(command, "HERE", tmp_path)

    code = command.main(400, 60.0)

    (soaked,) = kept
    assert soaked.judge["against"] == 0, soaked.judge["against_first"]
    assert (soaked.lost, code) == (0, 0)
    assert soaked.crawl["finish_reason"] == "finished"
    assert soaked.crawl["counts"]["origins"] > 0
    assert "Traceback" not in soaked.log
    written = (tmp_path / "README.md").read_text("utf-8")
    assert "| lost (neither callback nor errback) | 0 |" in written
    assert (tmp_path / "rss.svg").read_text("utf-8").startswith("<svg ")
