"""A short soak: nothing lost, nothing fetched against a policy, and a clean end."""

from __future__ import annotations

from tests.soak import report, run

ORIGINS = 400


def test_a_short_soak_loses_nothing_and_opens_nothing() -> None:
    """The same processes as the long one; its figures can be written and drawn."""
    soaked = run.soak(ORIGINS, 60, seed=8)

    assert soaked.judge["against"] == 0, soaked.judge["against_first"]
    assert soaked.lost == 0
    assert soaked.crawl["finish_reason"] == "finished"
    assert soaked.crawl["counts"]["origins"] > 0
    assert "Traceback" not in soaked.log
    assert "| lost (neither callback nor errback) | 0 |" in report.text(soaked)
    assert report.picture(soaked).startswith("<svg ")
