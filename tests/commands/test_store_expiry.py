"""What `robots-store` reads of a store, and what refresh makes of a policy."""

from __future__ import annotations

from dataclasses import replace

from scrapy.settings import Settings

from scrapy_robots1994.commands.store import _expired, _stored
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.robotstxt import Reader
from scrapy_robots1994.stores.codec import decode, encode
from tests.policy.samples import DAY, FRESHNESS, NOW, SITE, parsed
from tests.stores.stubborn import StubbornStore


def test_files_are_compressed_in_memory() -> None:
    """All policies are sorted in memory: 1 GB of entries would unpack to many times that."""
    store = StubbornStore()
    policy = parsed(body=b"Disallow: /a\n" * 10_000)
    store.entries_by_origin[SITE] = encode(policy)

    (read,) = _stored(store, set(), RobotsSettings.from_settings(Settings()))

    assert read.robots is not None
    assert read.robots.body == b"Disallow: /a\n" * 10_000
    assert read.robots.memory_bytes < read.robots.size / 10


def test_a_fresh_policy_runs_out_now() -> None:
    """It is as old as it must be to be asked for again, and no older."""
    now = NOW + 5
    reader = Reader("1994", "literal", 512_000)

    aged = decode(
        encode(_expired(parsed(), now)), SITE, reader=reader, freshness=FRESHNESS
    )

    assert aged is not None
    assert not aged.is_fresh(now)
    assert aged.stale_until == now


def test_an_old_policy_never_gets_younger() -> None:
    """Else it would stand past ROBOTS1994_STALE_TTL for as long as it is refreshed."""
    policy, now = parsed(), NOW + 25 * DAY
    aged = policy
    for _ in range(3):
        aged = _expired(aged, now)

    assert aged == replace(policy, is_stale_on_error=False)
