"""The cache of compiled rules answers while their policy is fresh and in memory."""

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
    """Name the origin of a number."""
    return Origin("http", f"host{number}.example", 80)


def policy(number: int = 1) -> Policy:
    """Make a policy that is fresh now."""
    return parsed(origin=host(number), at=time())


def cached(most: int = 10) -> tuple[RulesCache, ListedMemory, Policy]:
    """Make a cache that knows the rules for `URL`."""
    memory = ListedMemory(most, time)
    cache, known = RulesCache(memory), policy()
    memory.put(known)
    cache.put(URL, known, known.rules("rex"))
    return cache, memory, known


def test_rules_answer_for_every_url_of_their_prefix() -> None:
    """And for no other: a host that begins alike, a port, a scheme, a user."""
    cache, _, known = cached()

    found = cache.get("http://host1.example/other?x=/")
    assert found is not None
    assert found.policy is known
    for prefix in ("http://host1.exampl", "http://host1.example:81", "https://host1"):
        assert cache.get(f"{prefix}/page") is None
    assert cache.get("http://host1.examplex") is None


def test_an_evicted_policy_takes_its_rules_along() -> None:
    """There is no second bound."""
    cache, memory, _ = cached(most=1)
    memory.put(policy(2))

    assert cache.get(URL) is None
    assert not cache._by_prefix
    assert not cache._prefixes


def test_a_refreshed_policy_replaces_its_rules() -> None:
    """The next request of the origin caches those of the new file."""
    cache, memory, known = cached()
    memory.put(replace(known, fetched_at=time()))

    assert cache.get(URL) is None


def test_an_expired_policy_answers_no_more() -> None:
    """Whatever the cache has."""
    memory = ListedMemory(10, time)
    cache, known = RulesCache(memory), replace(policy(), fresh_until=time())
    memory.put(known)
    cache.put(URL, known, known.rules("rex"))

    assert cache.get(URL) is None


def test_a_policy_that_is_not_in_memory_is_not_cached() -> None:
    """Nothing would ever evict it."""
    cache, known = RulesCache(ListedMemory(10, time)), policy()
    cache.put(URL, known, known.rules("rex"))

    assert cache.get(URL) is None


def test_lookup_in_the_rules_cache_keeps_the_policy_in_memory() -> None:
    """The policies used most are the last to be evicted."""
    cache, memory, known = cached(most=2)
    memory.put(policy(2))
    assert cache.get(URL) is not None
    memory.put(policy(3))

    assert {it.origin for it in memory} == {known.origin, host(3)}


def test_an_origin_has_few_prefixes() -> None:
    """User names in URLs are without number."""
    cache, _, known = cached()
    for number in range(3 * MAX_PREFIXES):
        url = f"http://user{number}@host1.example/page"
        cache.put(url, known, known.rules("rex"))

    assert len(cache._by_prefix) == MAX_PREFIXES
