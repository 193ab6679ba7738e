"""How `robots-store` reads a store, and how `refresh` expires a policy."""

from __future__ import annotations

from dataclasses import replace

from scrapy.settings import Settings

from scrapy_robots1994.commands.store import _expired, _stored
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.robotstxt import Reader
from scrapy_robots1994.stores.codec import decode, encode
from tests.unit.fake_store import FakeStore
from tests.unit.samples import DAY, FRESHNESS, NOW, SITE, parsed


def test_policies_read_from_a_store_stay_compressed() -> None:
    """All policies are sorted in memory; 1 GB of entries would decompress to many times that."""
    store = FakeStore()
    policy = parsed(body=b"Disallow: /a\n" * 10_000)
    store.entries_by_origin[SITE] = encode(policy)

    (read,) = _stored(store, set(), RobotsSettings.from_settings(Settings()))

    assert read.robots is not None
    assert read.robots.body == b"Disallow: /a\n" * 10_000
    assert read.robots.memory_bytes < read.robots.size / 10


def test_expired_policy_is_stale_from_now_on() -> None:
    """Its age is increased just enough for it to be fetched again."""
    now = NOW + 5
    reader = Reader("1994", "literal", 512_000)

    expired = decode(
        encode(_expired(parsed(), now)), SITE, reader=reader, freshness=FRESHNESS
    )

    assert expired is not None
    assert not expired.is_fresh(now)
    assert expired.stale_until == now


def test_expiring_an_old_policy_leaves_its_age_unchanged() -> None:
    """Otherwise repeated refreshes would extend it past ROBOTS1994_STALE_TTL."""
    policy, now = parsed(), NOW + 25 * DAY
    expired = policy
    for _ in range(3):
        expired = _expired(expired, now)

    assert expired == replace(policy, is_stale_on_error=False)
