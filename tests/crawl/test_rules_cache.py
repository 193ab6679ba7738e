"""`RulesCache` returns rules while their policy is fresh and in memory."""

from __future__ import annotations

from dataclasses import replace
from time import time
from typing import TYPE_CHECKING

from scrapy_robots1994.crawl.judges import MAX_PREFIXES, RulesCache
from scrapy_robots1994.origin import Origin
from tests.policy.samples import parsed
from tests.stores.guarded_store import ListedMemory

if TYPE_CHECKING:
    from scrapy_robots1994.policy import Policy

URL = "http://host1.example/page"


def host(number: int) -> Origin:
    """Return the origin with *number* in its host name."""
    return Origin("http", f"host{number}.example", 80)


def policy(number: int = 1) -> Policy:
    """Make a policy that is fresh now."""
    return parsed(origin=host(number), at=time())


def cached(max_origins: int = 10) -> tuple[RulesCache, ListedMemory, Policy]:
    """Return a cache with the rules for `URL`, its memory store, and the policy."""
    memory = ListedMemory(max_origins, time)
    cache, cached_policy = RulesCache(memory), policy()
    memory.put(cached_policy)
    cache.put(URL, cached_policy, cached_policy.rules("rex"))
    return cache, memory, cached_policy


def test_rules_are_cached_for_every_url_of_their_prefix() -> None:
    """URLs with another scheme, port, or a longer or shorter host do not match."""
    cache, _, cached_policy = cached()

    found = cache.get("http://host1.example/other?x=/")
    assert found is not None
    assert found.policy is cached_policy
    for prefix in ("http://host1.exampl", "http://host1.example:81", "https://host1"):
        assert cache.get(f"{prefix}/page") is None
    assert cache.get("http://host1.examplex") is None


def test_rules_of_an_evicted_policy_are_removed() -> None:
    """The cache needs no limit of its own."""
    cache, memory, _ = cached(max_origins=1)
    memory.put(policy(2))

    assert cache.get(URL) is None
    assert not cache._by_prefix
    assert not cache._prefixes


def test_rules_of_a_replaced_policy_are_removed() -> None:
    """The next request of the origin caches the rules of the new file."""
    cache, memory, cached_policy = cached()
    memory.put(replace(cached_policy, fetched_at=time()))

    assert cache.get(URL) is None


def test_rules_of_an_expired_policy_are_not_returned() -> None:
    """The freshness is checked at each lookup."""
    memory = ListedMemory(10, time)
    cache, cached_policy = RulesCache(memory), replace(policy(), fresh_until=time())
    memory.put(cached_policy)
    cache.put(URL, cached_policy, cached_policy.rules("rex"))

    assert cache.get(URL) is None


def test_rules_of_a_policy_that_is_not_in_memory_are_not_cached() -> None:
    """Nothing would ever evict them."""
    cache, cached_policy = RulesCache(ListedMemory(10, time)), policy()
    cache.put(URL, cached_policy, cached_policy.rules("rex"))

    assert cache.get(URL) is None


def test_lookup_in_the_rules_cache_keeps_the_policy_in_memory() -> None:
    """A lookup counts as use of the policy, which is not evicted next."""
    cache, memory, cached_policy = cached(max_origins=2)
    memory.put(policy(2))
    assert cache.get(URL) is not None
    memory.put(policy(3))

    assert {it.origin for it in memory} == {cached_policy.origin, host(3)}


def test_number_of_prefixes_of_an_origin_is_limited() -> None:
    """URLs may have any number of user names."""
    cache, _, cached_policy = cached()
    for number in range(3 * MAX_PREFIXES):
        url = f"http://user{number}@host1.example/page"
        cache.put(url, cached_policy, cached_policy.rules("rex"))

    assert len(cache._by_prefix) == MAX_PREFIXES
