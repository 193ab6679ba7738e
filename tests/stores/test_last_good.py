"""The last good policy of a store: no failure of ours puts an end to it (Ours R5)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.policy import FreshnessSettings
from scrapy_robots1994.stores import circuit_breaker as troubles
from scrapy_robots1994.stores.codec import pack
from tests.policy.samples import (
    BODY,
    DAY,
    NOW,
    SITE,
    TERMS,
    TIMEOUT,
    parsed,
    unreachable,
)
from tests.stores.clock import FakeClock
from tests.stores.lasting import new_desk
from tests.stores.stubborn import StubbornStore

if TYPE_CHECKING:
    from scrapy_robots1994.policy import Policy

SOON = 0.05
LATER = NOW + 2 * DAY
HELD = pack(parsed())
OLDER = parsed(at=NOW - DAY).stale_on_error(TIMEOUT, LATER, TERMS)
UNKNOWN = unreachable(at=LATER)
OVER = unreachable(at=LATER, terms=FreshnessSettings(retry_after=0))


def held_after(made: Policy, store: StubbornStore, *, misses: bool = False) -> object:
    """What *store* holds once *made* was; before, one read *misses* the policy."""

    async def work() -> None:
        desk = new_desk(store, FakeClock(LATER))
        if misses:
            store.error = StoreError("away for a moment")
            assert await desk.get(SITE) is None
            store.error = None
        await desk.acquire_lease(SITE)
        # In a task of its own, as in a crawl: closing waits for it.
        await asyncio.create_task(desk.release_lease(SITE, made))
        assert store.leases == {}
        await desk.close()

    asyncio.run(work())
    return store.held.get(SITE)


def store_with(packed: bytes | None) -> StubbornStore:
    """Make a store that holds *packed*."""
    store = StubbornStore()
    if packed is not None:
        store.held[SITE] = packed
    return store


@pytest.mark.parametrize("pause", [0.0, 2.0], ids=["asked again", "still resting"])
@pytest.mark.parametrize("made", [UNKNOWN, OVER, OLDER], ids=["new", "over", "older"])
def test_a_read_that_failed_once_ends_no_last_good_policy(
    made: Policy, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours R5: what we set in its place is not put, and nothing is forgotten."""
    monkeypatch.setattr(troubles, "PAUSE", pause)

    assert held_after(made, store_with(HELD), misses=True) == HELD


@pytest.mark.parametrize(("pause", "looks"), [(0.0, 2), (2.0, 1)])
def test_a_store_that_is_late_is_not_written_over(
    pause: float, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours R5: no answer in time is not the answer that nothing is held.

    Nor is none at all, while a store that failed rests.
    """
    monkeypatch.setattr(troubles, "PAUSE", pause)

    async def work() -> None:
        store = store_with(HELD)
        desk = new_desk(store, FakeClock(LATER), timeout=SOON)
        store.hangs = True
        assert await desk.get(SITE) is None
        await desk.release_lease(SITE, UNKNOWN)
        store.hangs = False

        assert store.calls.count("get") == looks
        assert "put" not in store.calls
        assert store.held == {SITE: HELD}

    asyncio.run(work())


@pytest.mark.parametrize(
    "packed",
    [
        b"\x02" + HELD[1:],
        pack(parsed(body=BODY + b"#" * 1_000_000)),
        pack(parsed(at=LATER - DAY)),
    ],
    ids=["another version", "too large for us", "newer than ours"],
)
@pytest.mark.parametrize("made", [UNKNOWN, OLDER], ids=["unknown", "stands in"])
def test_what_another_crawl_holds_is_not_ours_to_end(
    packed: bytes, made: Policy
) -> None:
    """Ours R5: what we cannot read, or what came since, may be its last good policy."""
    assert held_after(made, store_with(packed)) == packed


@pytest.mark.parametrize(
    ("packed", "made"),
    [
        (None, UNKNOWN),
        (pack(unreachable(at=LATER - 1)), UNKNOWN),
        (None, OLDER),
        (pack(unreachable(at=LATER - 1)), OLDER),
        (pack(replace(OLDER, is_stale_on_error=False)), OLDER),
        (pack(parsed(at=LATER + DAY)), OLDER),
        (pack(parsed(at=LATER - 90 * DAY)), UNKNOWN),
    ],
)
def test_our_own_pause_is_held_where_it_ends_nothing(
    packed: bytes | None, made: Policy
) -> None:
    """Ours R5: others need not ask an origin that is away; a future is no past."""
    assert held_after(made, store_with(packed)) == pack(made)


@pytest.mark.parametrize("packed", [HELD, b"rubbish"], ids=["a policy", "rubbish"])
def test_what_the_origin_states_takes_every_place(packed: bytes) -> None:
    """Whatever is held, and whether it was read or not."""
    newer = parsed(at=LATER)

    assert held_after(newer, store_with(packed), misses=True) == pack(newer)
