"""A stored last good policy is not replaced after a local failure (Ours R5,
unreachable).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.policy.fetch_result import RobotsResponse
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.stores import guarded as guard
from scrapy_robots1994.stores.codec import encode
from tests.support.fake_store import FakeStore
from tests.unit.guarded_store import guarded, unavailable
from tests.unit.samples import BODY, DAY, FRESHNESS, NOW, SITE, FakeClock, parsed

LATER = NOW + 2 * DAY
STORED = encode(parsed())
PROLONGED = parsed(at=NOW - DAY).stale_on_error(RobotsResponse(503), LATER, FRESHNESS)
UNREACHABLE = unavailable(at=LATER)
EXPIRED = unavailable(at=LATER, freshness=FreshnessSettings(retry_after=0))


def stored_after(packed: bytes | None, made: Policy, *, misses: bool) -> object:
    """Write *made* to a store that contains *packed*, and return the bytes that are
    stored afterwards. If *misses* is true, a read of the store fails before the write.
    """
    store = FakeStore()
    if packed is not None:
        store.entries_by_origin[SITE] = packed
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


@pytest.mark.parametrize("pause", [0.0, 2.0], ids=["read again", "paused"])
@pytest.mark.parametrize("made", [UNREACHABLE, EXPIRED, PROLONGED])
def test_last_good_policy_survives_a_failed_read(
    made: Policy, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours R5 (unreachable): neither `put` nor `forget` changes an entry that could not be
    read.
    """
    monkeypatch.setattr(guard, "REST_SECONDS", pause)

    assert stored_after(STORED, made, misses=True) == STORED


@pytest.mark.parametrize("made", [UNREACHABLE, PROLONGED])
@pytest.mark.parametrize(
    ("packed", "is_replaced"),
    [
        # The first three rows have entries that are not replaced. The first entry has
        # another version, the second entry is too large, and the third entry is newer
        # than the policy. Another crawl might be able to use each of the first three
        # entries.
        (b"\x09" + STORED[1:], False),
        (encode(parsed(body=BODY + b"#" * 1_000_000)), False),
        (encode(parsed(at=LATER - DAY)), False),
        (None, True),
        (encode(unavailable(at=LATER - 1)), True),
        (encode(parsed(at=LATER - 90 * DAY)), True),
    ],
)
def test_stopgap_replaces_no_good_policy(
    packed: bytes | None, made: Policy, *, is_replaced: bool
) -> None:
    """A policy that was built after a failure does not replace a good policy (R5,
    unreachable). If the store has no good policy, the new policy is stored, so that other
    crawls need no fetch.
    """
    expected = encode(made) if is_replaced else packed
    assert stored_after(packed, made, misses=False) == expected


@pytest.mark.parametrize(
    "packed",
    [
        encode(replace(PROLONGED, is_stale_on_error=False)),
        encode(parsed(at=LATER + DAY)),
    ],
    ids=["of the same time", "of the future"],
)
def test_policy_that_is_stale_on_error_replaces_one_that_is_not_newer(
    packed: bytes,
) -> None:
    """A policy that is stale on error replaces a stored policy that is not newer (R5,
    unreachable). A stored policy whose date is in the future does not count as newer
    than the written policy.
    """
    assert stored_after(packed, PROLONGED, misses=False) == encode(PROLONGED)
