"""A resolver with a store: read before each fetch, written after it, never trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_robots1994.policy import Cancelled, FetchError, Policy, RobotsResponse
from tests.policy.samples import NOW, SITE, TIMEOUT, parsed
from tests.resolver.harness import FILE, FRESHNESS, ResolverHarness, outcome_of

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from tests.resolver.drivers import Driver, Pending

STORED = replace(parsed(freshness=FRESHNESS), etag='"one"')
FRESH, STALE, OLD = NOW + 50, NOW + 120, NOW + 500


class RecordingStore:
    """A store that a test fills, and that records its calls (`backend.Store`)."""

    def __init__(self) -> None:
        self.policies: dict[Origin, Policy] = {}
        self.other_process: Pending[Policy | None] | None = None
        self.released: list[tuple[Origin, Policy | None]] = []

    async def get(self, origin: Origin) -> Policy | None:
        """Return the policy that the test stored."""
        return self.policies.get(origin)

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Acquire it at once, unless the test has another process fetch."""
        return None if self.other_process is None else await self.other_process

    def release_lease(self, origin: Origin, made: Policy | None) -> None:
        """Record the policy."""
        self.released.append((origin, made))


def harness_with(
    driver: Driver, stored: Policy | None = None
) -> tuple[ResolverHarness, RecordingStore]:
    """Make a harness whose store has a policy."""
    store = RecordingStore()
    if stored is not None:
        store.policies[SITE] = stored
    return ResolverHarness(driver, store=store), store


def test_fresh_policy_of_the_store_is_not_fetched(driver: Driver) -> None:
    """The policy is loaded into memory, and not stored again."""
    harness, store = harness_with(driver, STORED)
    harness.clock.now = FRESH

    request = harness.resolve()

    assert request.result() == STORED
    assert harness.backend.fetches == []
    assert harness.backend.loaded == [STORED]
    assert harness.resolver.fresh(SITE) == STORED
    assert store.released == [(SITE, None)]


def test_loaded_policy_is_usable_while_listeners_run(driver: Driver) -> None:
    """A listener that waits for a page never hangs if memory has dropped the policy."""
    harness, store = harness_with(driver, STORED)
    harness.clock.now = FRESH
    harness.backend.listeners = harness.driver.pending()
    request = harness.resolve()
    harness.memory.forget(SITE)

    of_listener = harness.resolve()

    assert of_listener.result() == STORED
    harness.backend.listeners.complete(None)
    harness.driver.turn()
    assert request.result() == STORED
    assert harness.backend.fetches == []
    assert store.released == [(SITE, None)]


def test_fetched_policy_is_stored_before_listeners_run(driver: Driver) -> None:
    """Other workers wait for the lease, and do not wait for our listeners."""
    harness, store = harness_with(driver)
    harness.backend.listeners = harness.driver.pending()
    request = harness.resolve()
    harness.answer()

    assert store.released == [(SITE, harness.backend.fetched[0])]
    harness.backend.listeners.complete(None)
    harness.driver.turn()
    assert store.released == [(SITE, request.result())]
    assert harness.backend.loaded == []


def test_stale_policy_of_the_store_is_used_during_refresh(driver: Driver) -> None:
    """No request waits for the refresh, which sends the validators."""
    harness, store = harness_with(driver, STORED)
    harness.clock.now = STALE

    request = harness.resolve()

    assert request.result() == STORED
    (fetch,) = harness.backend.fetches
    assert fetch.validators == STORED.validators
    harness.answer(RobotsResponse(304, not_modified=True))
    ((_, renewed),) = store.released
    assert renewed is not None
    assert (renewed.fetched_at, renewed.robots) == (STALE, STORED.robots)


def test_request_during_refresh_of_stored_policy_starts_no_second(
    driver: Driver,
) -> None:
    """One refresh at a time, as without a store."""
    harness, _ = harness_with(driver, STORED)
    harness.clock.now = STALE
    harness.resolve()

    assert harness.resolve().result() == STORED
    assert len(harness.backend.fetches) == 1


def test_old_policy_of_the_store_is_the_last_good_one(driver: Driver) -> None:
    """Ours R5: it is used when the origin is unreachable."""
    harness, _ = harness_with(driver, STORED)
    harness.clock.now = OLD
    request = harness.resolve()
    assert not request.is_done

    harness.answer(FetchError("timeout", "too long"))

    result = request.result()
    assert isinstance(result, Policy)
    assert result.is_stale_on_error
    assert result.robots is STORED.robots


def test_policy_fetched_by_another_process_is_not_fetched(driver: Driver) -> None:
    """The resolver waits while the other process fetches, and uses its policy."""
    harness, store = harness_with(driver)
    store.other_process = driver.pending()
    requests = [harness.resolve(), harness.resolve()]
    assert not any(request.is_done for request in requests)

    store.other_process.complete(STORED)
    driver.turn()

    assert [request.result() for request in requests] == [STORED, STORED]
    assert harness.backend.fetches == []


def test_cancelled_fetch_stores_nothing_and_releases_the_lease(driver: Driver) -> None:
    """Ours R6: the next process may fetch at once."""
    harness, store = harness_with(driver)
    request = harness.resolve()

    harness.answer(Cancelled("closing"))

    assert isinstance(outcome_of(request), Exception)
    assert store.released == [(SITE, None)]


def test_fetch_that_raises_releases_the_lease(driver: Driver) -> None:
    """An error of our own code releases it, too."""
    harness, store = harness_with(driver)
    request = harness.resolve()

    harness.fail(ZeroDivisionError())

    assert isinstance(outcome_of(request), Exception)
    assert store.released == [(SITE, None)]


def test_newer_policy_in_memory_wins_over_the_store(driver: Driver) -> None:
    """A store that was down for a while does not bring back an expired policy."""
    harness, store = harness_with(driver, STORED)
    newer = replace(parsed(at=NOW + 200, freshness=FRESHNESS), etag='"two"')
    harness.memory.put(newer)
    harness.clock.now = NOW + 320

    assert harness.resolve().result() == newer
    assert harness.backend.fetches[0].validators == newer.validators
    assert harness.backend.loaded == []
    harness.answer(FILE)
    assert store.released[0][1] is not None


def test_newer_policy_in_the_store_wins_over_memory(driver: Driver) -> None:
    """A policy that another process fetched since then saves the fetch."""
    harness, store = harness_with(driver)
    harness.memory.put(STORED)
    newer = parsed(at=NOW + 450, freshness=FRESHNESS)
    store.policies[SITE] = newer
    harness.clock.now = OLD

    assert harness.resolve().result() == newer
    assert harness.backend.fetches == []


def test_each_call_gets_the_policy_that_was_announced_before(
    driver: Driver,
) -> None:
    """A policy that only the store had was never announced, so listeners do not know it."""
    old, _ = harness_with(driver, STORED)
    old.clock.now = OLD
    old.resolve()
    old.answer(RobotsResponse(304, not_modified=True))
    assert old.backend.announced == [None]

    harness, store = harness_with(driver, STORED)
    harness.clock.now = STALE
    store.other_process = driver.pending()
    harness.resolve()
    renewed = replace(STORED, fetched_at=STALE, fresh_until=STALE + 50)
    store.other_process.complete(renewed)
    driver.turn()
    assert harness.backend.loaded == [STORED, renewed]
    assert harness.backend.announced == [None, STORED]


def test_policy_extended_by_another_process_is_not_fetched(driver: Driver) -> None:
    """Ours R5: the pause of the other process for an unreachable origin applies here."""
    extended = STORED.stale_on_error(TIMEOUT, STALE, FRESHNESS)
    harness, _ = harness_with(driver, extended)
    harness.memory.put(STORED)
    harness.clock.now = STALE + 1

    assert harness.resolve().result() == STORED
    assert harness.backend.fetches == []
    assert harness.resolver.fresh(SITE) == extended


def test_policy_lost_by_the_store_is_renewed_from_memory(driver: Driver) -> None:
    """The fetch sends the validators of the policy in memory."""
    harness, _ = harness_with(driver)
    harness.memory.put(STORED)
    harness.clock.now = OLD

    harness.resolve()

    assert harness.backend.fetches[0].validators == STORED.validators


def test_stored_policy_from_the_future_is_refetched(driver: Driver) -> None:
    """Either the clock of another machine was wrong, or the local one was set back."""
    harness, _ = harness_with(driver, STORED)
    harness.clock.now = NOW - 100_000

    request = harness.resolve()

    assert not request.is_done
    assert len(harness.backend.fetches) == 1


def test_not_modified_without_a_policy_leaves_it_unknown(driver: Driver) -> None:
    """Ours R5: a 304 without a file to renew permits nothing."""
    harness, _ = harness_with(driver)
    request = harness.resolve()

    harness.answer(RobotsResponse(304, not_modified=True))

    result = request.result()
    assert isinstance(result, Policy)
    assert not result.is_known
