"""The rows of `rows.py` with few origins: no permitted page is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.faults import rows, twenty_thousand
from tests.faults.rows import ROWS
from tests.support import replies
from tests.support.crawl import reactors

if TYPE_CHECKING:
    from tests.support.crawl import CrawlResult, Reactor

ORIGINS = 60
on_every_reactor = pytest.mark.parametrize("reactor", reactors())


def assert_all_fetched(result: CrawlResult, pages: int) -> None:
    """Assert that every page was fetched, and none was refused or failed."""
    assert result.failed == []
    assert len(result.fetched) == pages


@on_every_reactor
def test_slow_name_lookups_lose_no_page(reactor: Reactor) -> None:
    """Without a limit they would wait in the DNS queue for longer than the timeout."""
    result, _ = ROWS["names"].run(
        ORIGINS,
        reactor=reactor,
        ROBOTS1994_TIMEOUT=5,
        REACTOR_THREADPOOL_MAXSIZE=2,
        TEST_LOOK_UP_SECONDS=0.2,
    )

    assert_all_fetched(result, ORIGINS)
    assert "robots1994/retries" not in result.stats


@on_every_reactor
def test_few_descriptors_lose_no_page(
    reactor: Reactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All fetches at once would need more descriptors than the limit."""
    monkeypatch.setattr(rows, "LATE_SECONDS", 0.3)

    result, _ = ROWS["descriptors"].run(ORIGINS, reactor=reactor, TEST_DESCRIPTORS=64)

    assert_all_fetched(result, ORIGINS)
    assert "robots1994/local_faults" not in result.stats


@on_every_reactor
def test_dead_proxy_among_three_loses_no_origin(reactor: Reactor) -> None:
    """Each retry uses a random proxy; a page fails only by its own proxy."""
    result, _ = ROWS["proxy"].run(100, reactor=reactor, RETRY_TIMES=5)

    assert all(failed.verdict is None for failed in result.failed)
    assert len(result.fetched) >= 28


@on_every_reactor
def test_origins_that_fail_once_or_are_slow_lose_no_page(
    reactor: Reactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`twenty_thousand` with few origins; those that always fail get no page at all."""
    slow = replies.Reply(body=twenty_thousand.FILE.encode(), delay=0.3)
    monkeypatch.setattr(twenty_thousand, "SLOW", slow)

    found = twenty_thousand.measure(40, 5, reactor=reactor)

    assert all(row.is_right(name) for name, row in found.items())
    assert found["fails always"].fetched == 0
    assert sum(row.failed for row in found.values()) == 0
    assert sum(row.fetched for row in found.values()) == 36 * 4
