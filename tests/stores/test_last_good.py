"""The last good policy of a store: no failure of ours puts an end to it (Ours R5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.policy import FreshnessSettings, RobotsResponse
from scrapy_robots1994.stores import worker
from scrapy_robots1994.stores.codec import encode
from tests.policy.samples import BODY, DAY, FRESHNESS, NOW, SITE, parsed
from tests.stores.clock import FakeClock
from tests.stores.lasting import busy, guarded
from tests.stores.stubborn import StubbornStore

if TYPE_CHECKING:
    from scrapy_robots1994.policy import Policy

SOON = 0.05
LATER = NOW + 2 * DAY
STORED = encode(parsed())
OLDER = parsed(at=NOW - DAY).stale_on_error(RobotsResponse(503), LATER, FRESHNESS)
UNKNOWN = busy(at=LATER)
OVER = busy(at=LATER, freshness=FreshnessSettings(retry_after=0))


def stored_after(made: Policy, store: StubbornStore, *, misses: bool = False) -> object:
    """Return what *store* has once *made* was; before, one read *misses* the policy."""
    crawl = guarded(store, FakeClock(LATER))
    if misses:
        store.error = StoreError("away for a moment")
        assert crawl.read(SITE) is None
        store.error = None
    crawl.lease(SITE)
    crawl.release_lease(SITE, made)
    crawl.end()
    assert store.leases == {}
    return store.entries_by_origin.get(SITE)


def store_with(packed: bytes | None) -> StubbornStore:
    """Make a store that holds *packed*."""
    store = StubbornStore()
    if packed is not None:
        store.entries_by_origin[SITE] = packed
    return store


@pytest.mark.parametrize("pause", [0.0, 2.0], ids=["asked again", "still resting"])
@pytest.mark.parametrize("made", [UNKNOWN, OVER, OLDER], ids=["new", "over", "older"])
def test_a_read_that_failed_once_ends_no_last_good_policy(
    made: Policy, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours R5: what we set in its place is not put, and nothing is forgotten."""
    monkeypatch.setattr(worker, "REST_SECONDS", pause)

    assert stored_after(made, store_with(STORED), misses=True) == STORED


def test_a_store_that_is_late_is_not_written_over() -> None:
    """Ours R5: no answer in time is not the answer that nothing is stored."""
    store = store_with(STORED)
    crawl = guarded(store, FakeClock(LATER), timeout=SOON)
    store.hang()
    assert crawl.read(SITE) is None
    crawl.release_lease(SITE, UNKNOWN)
    crawl.end()
    store.go_on.set()

    assert "put" not in store.calls
    assert store.entries_by_origin == {SITE: STORED}


@pytest.mark.parametrize(
    "packed",
    [
        b"\x09" + STORED[1:],
        encode(parsed(body=BODY + b"#" * 1_000_000)),
        encode(parsed(at=LATER - DAY)),
    ],
    ids=["another version", "too large for us", "newer than ours"],
)
@pytest.mark.parametrize("made", [UNKNOWN, OLDER], ids=["unknown", "stands in"])
def test_own_pause_does_not_replace_an_unread_entry(
    packed: bytes, made: Policy
) -> None:
    """Ours R5: an unreadable or newer entry may be the last good policy of another crawl."""
    assert stored_after(made, store_with(packed)) == packed


@pytest.mark.parametrize(
    ("packed", "made"),
    [
        (None, UNKNOWN),
        (encode(busy(at=LATER - 1)), UNKNOWN),
        (None, OLDER),
        (encode(busy(at=LATER - 1)), OLDER),
        (encode(replace(OLDER, is_stale_on_error=False)), OLDER),
        (encode(parsed(at=LATER + DAY)), OLDER),
        (encode(parsed(at=LATER - 90 * DAY)), UNKNOWN),
    ],
)
def test_own_pause_is_stored_if_it_replaces_no_good_policy(
    packed: bytes | None, made: Policy
) -> None:
    """Ours R5: other crawls need not fetch from an unreachable origin."""
    assert stored_after(made, store_with(packed)) == encode(made)


@pytest.mark.parametrize("packed", [STORED, b"rubbish"], ids=["a policy", "rubbish"])
def test_policy_from_an_answer_replaces_any_entry(packed: bytes) -> None:
    """Any entry is replaced, whether it was read or not."""
    newer = parsed(at=LATER)

    assert stored_after(newer, store_with(packed), misses=True) == encode(newer)
