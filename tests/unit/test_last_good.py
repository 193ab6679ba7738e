"""A stored last good policy is not replaced after a local failure (Ours R5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.policy.fetch_result import RobotsResponse
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.stores import guarded as guard
from scrapy_robots1994.stores.codec import encode
from tests.unit.clock import FakeClock
from tests.unit.fake_store import FakeStore
from tests.unit.guarded_store import guarded, unavailable
from tests.unit.samples import BODY, DAY, FRESHNESS, NOW, SITE, parsed

SOON = 0.05
LATER = NOW + 2 * DAY
STORED = encode(parsed())
PROLONGED = parsed(at=NOW - DAY).stale_on_error(RobotsResponse(503), LATER, FRESHNESS)
UNREACHABLE = unavailable(at=LATER)
EXPIRED = unavailable(at=LATER, freshness=FreshnessSettings(retry_after=0))


def stored_after(made: Policy, store: FakeStore, *, misses: bool = False) -> object:
    """Return the entry after *made* was written; first, a read may fail (*misses*)."""
    crawl = guarded(store, FakeClock(LATER))
    if misses:
        store.error = StoreError("away for a moment")
        assert crawl.read(SITE) is None
        store.error = None
    crawl.lease(SITE)
    crawl.release_lease(SITE, made)
    crawl.close_and_wait()
    assert store.leases == {}
    return store.entries_by_origin.get(SITE)


def store_with(packed: bytes | None) -> FakeStore:
    """Make a store with the entry *packed*."""
    store = FakeStore()
    if packed is not None:
        store.entries_by_origin[SITE] = packed
    return store


@pytest.mark.parametrize("pause", [0.0, 2.0], ids=["read again", "paused"])
@pytest.mark.parametrize(
    "made",
    [UNREACHABLE, EXPIRED, PROLONGED],
    ids=["unreachable", "expired", "prolonged"],
)
def test_last_good_policy_survives_a_failed_read(
    made: Policy, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours R5: neither put nor forget changes an entry that could not be read."""
    monkeypatch.setattr(guard, "REST_SECONDS", pause)

    assert stored_after(made, store_with(STORED), misses=True) == STORED


@pytest.mark.parametrize(
    "packed",
    [
        b"\x09" + STORED[1:],
        encode(parsed(body=BODY + b"#" * 1_000_000)),
        encode(parsed(at=LATER - DAY)),
    ],
    ids=["another version", "too large", "newer"],
)
@pytest.mark.parametrize(
    "made", [UNREACHABLE, PROLONGED], ids=["unreachable", "stale on error"]
)
def test_unreachable_policy_does_not_replace_an_unread_entry(
    packed: bytes, made: Policy
) -> None:
    """Ours R5: an unreadable or newer entry may be the last good policy of another crawl."""
    assert stored_after(made, store_with(packed)) == packed


@pytest.mark.parametrize(
    ("packed", "made"),
    [
        (None, UNREACHABLE),
        (encode(unavailable(at=LATER - 1)), UNREACHABLE),
        (None, PROLONGED),
        (encode(unavailable(at=LATER - 1)), PROLONGED),
        (encode(replace(PROLONGED, is_stale_on_error=False)), PROLONGED),
        (encode(parsed(at=LATER + DAY)), PROLONGED),
        (encode(parsed(at=LATER - 90 * DAY)), UNREACHABLE),
    ],
)
def test_unreachable_policy_is_stored_if_it_replaces_no_good_policy(
    packed: bytes | None, made: Policy
) -> None:
    """Ours R5: other crawls need not fetch from an unreachable origin."""
    assert stored_after(made, store_with(packed)) == encode(made)
