"""A short soak test: no request is lost or violates a policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.soak import __main__ as command
from tools.soak import run


@pytest.mark.long
def test_short_soak_loses_no_request_and_violates_no_policy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`python -m tools.soak 400 60` finishes and writes its report, here to tmp_path."""
    results: list[run.SoakResult] = []
    real = run.soak

    def soak(origins: int, seconds: float) -> run.SoakResult:
        results.append(real(origins, seconds, seed=8))
        return results[0]

    monkeypatch.setattr(run, "soak", soak)
    monkeypatch.setattr(command, "HERE", tmp_path)

    code = command.main(400, 60.0)

    (result,) = results
    assert result.server["against"] == 0, result.server["against_first"]
    assert (result.lost, code) == (0, 0)
    assert result.crawl["finish_reason"] == "finished"
    assert result.crawl["counts"]["origins"] > 0
    assert "Traceback" not in result.log
    readme = (tmp_path / "README.md").read_text("utf-8")
    assert "| lost (neither callback nor errback) | 0 |" in readme
    assert (tmp_path / "rss.svg").read_text("utf-8").startswith("<svg ")
