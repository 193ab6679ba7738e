"""A keeper with a store behind its memory: asked first, told last, trusted never."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_robots1994.policy import Cancelled, FetchError, Policy, RobotsResponse
from tests.policy.samples import NOW, SITE, TIMEOUT, parsed
from tests.resolver.scene import FILE, TERMS, Scene, end_of

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from tests.resolver.drives import Drive, Pending

HELD = replace(parsed(terms=TERMS), etag='"one"')
FRESH, STALE, OLD = NOW + 50, NOW + 120, NOW + 500


class NotingStore:
    """A store that a test fills, and that notes what it is told (`backend.Store`)."""

    def __init__(self) -> None:
        self.held: dict[Origin, Policy] = {}
        self.others: Pending[Policy | None] | None = None
        self.dones: list[tuple[Origin, Policy | None]] = []

    async def get(self, origin: Origin) -> Policy | None:
        """What the test put in."""
        return self.held.get(origin)

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Our turn at once, unless the test says otherwise."""
        return None if self.others is None else await self.others

    def release_lease(
        self, origin: Origin, made: Policy | None, *, aborted: bool = False
    ) -> None:
        """Note it."""
        self.dones.append((origin, made))


def scene_with(drive: Drive, held: Policy | None = None) -> tuple[Scene, NotingStore]:
    """Make a scene whose store holds a policy."""
    store = NotingStore()
    if held is not None:
        store.held[SITE] = held
    return Scene(drive, store=store), store


def test_what_the_store_holds_fresh_is_not_fetched(drive: Drive) -> None:
    """It is recalled, held in memory from then on, and not stored again."""
    scene, store = scene_with(drive, HELD)
    scene.clock.now = FRESH

    asker = scene.ask()

    assert asker.result() == HELD
    assert scene.backend.questions == []
    assert scene.backend.loaded == [HELD]
    assert scene.resolver.fresh(SITE) == HELD
    assert store.dones == [(SITE, None)]


def test_what_is_fetched_is_stored(drive: Drive) -> None:
    """After everybody went on, the store is told."""
    scene, store = scene_with(drive)
    asker = scene.ask()
    scene.answer()

    assert store.dones == [(SITE, asker.result())]
    assert scene.backend.loaded == []


def test_what_the_store_holds_stale_is_used_beside_its_refresh(drive: Drive) -> None:
    """Nobody waits for the refresh, which names the validators."""
    scene, store = scene_with(drive, HELD)
    scene.clock.now = STALE

    asker = scene.ask()

    assert asker.result() == HELD
    (question,) = scene.backend.questions
    assert question.validators == HELD.validators
    scene.answer(RobotsResponse(304, not_modified=True))
    ((_, renewed),) = store.dones
    assert renewed is not None
    assert (renewed.fetched_at, renewed.robots) == (STALE, HELD.robots)


def test_who_comes_while_a_recalled_policy_is_refreshed_starts_no_second(
    drive: Drive,
) -> None:
    """One refresh at a time, as without a store."""
    scene, _ = scene_with(drive, HELD)
    scene.clock.now = STALE
    scene.ask()

    assert scene.ask().result() == HELD
    assert len(scene.backend.questions) == 1


def test_an_old_policy_of_the_store_is_the_last_good_one(drive: Drive) -> None:
    """Ours R5: it stands in where the origin cannot be reached any more."""
    scene, _ = scene_with(drive, HELD)
    scene.clock.now = OLD
    asker = scene.ask()
    assert not asker.is_over

    scene.answer(FetchError("timeout", "too long"))

    found = asker.result()
    assert isinstance(found, Policy)
    assert found.is_stale_on_error
    assert found.robots is HELD.robots


def test_what_another_process_made_meanwhile_is_not_fetched(drive: Drive) -> None:
    """While another one fetches we wait; what it made is ours as well."""
    scene, store = scene_with(drive)
    store.others = drive.pending()
    askers = [scene.ask(), scene.ask()]
    assert not any(asker.is_over for asker in askers)

    store.others.settle(HELD)
    drive.turn()

    assert [asker.result() for asker in askers] == [HELD, HELD]
    assert scene.backend.questions == []


def test_a_cancelled_fetch_stores_nothing_and_ends_our_turn(drive: Drive) -> None:
    """Ours R6: the next process may fetch at once."""
    scene, store = scene_with(drive)
    asker = scene.ask()

    scene.answer(Cancelled("closing"))

    assert isinstance(end_of(asker), Exception)
    assert store.dones == [(SITE, None)]


def test_a_fetch_that_breaks_ends_our_turn(drive: Drive) -> None:
    """Also when our own code fails."""
    scene, store = scene_with(drive)
    asker = scene.ask()

    scene.fail(ZeroDivisionError())

    assert isinstance(end_of(asker), Exception)
    assert store.dones == [(SITE, None)]


def test_memory_is_believed_where_it_is_newer_than_the_store(drive: Drive) -> None:
    """A store that was away for a while does not bring back what is over."""
    scene, store = scene_with(drive, HELD)
    newer = replace(parsed(at=NOW + 200, terms=TERMS), etag='"two"')
    scene.memory.put(newer)
    scene.clock.now = NOW + 320

    assert scene.ask().result() == newer
    assert scene.backend.questions[0].validators == newer.validators
    assert scene.backend.loaded == []
    scene.answer(FILE)
    assert store.dones[0][1] is not None


def test_the_store_is_believed_where_it_is_newer_than_memory(drive: Drive) -> None:
    """What another process fetched since then saves our fetch."""
    scene, store = scene_with(drive)
    scene.memory.put(HELD)
    newer = parsed(at=NOW + 450, terms=TERMS)
    store.held[SITE] = newer
    scene.clock.now = OLD

    assert scene.ask().result() == newer
    assert scene.backend.questions == []


def test_what_another_process_prolonged_is_not_asked_for_again(drive: Drive) -> None:
    """Ours R5: its pause before an origin that is away is ours as well."""
    prolonged = HELD.stale_on_error(TIMEOUT, STALE, TERMS)
    scene, _ = scene_with(drive, prolonged)
    scene.memory.put(HELD)
    scene.clock.now = STALE + 1

    assert scene.ask().result() == HELD
    assert scene.backend.questions == []
    assert scene.resolver.fresh(SITE) == prolonged


def test_what_the_store_lost_is_still_renewed_from_memory(drive: Drive) -> None:
    """The question names the validators of the policy that memory holds."""
    scene, _ = scene_with(drive)
    scene.memory.put(HELD)
    scene.clock.now = OLD

    scene.ask()

    assert scene.backend.questions[0].validators == HELD.validators


def test_a_policy_from_the_future_is_asked_for_again(drive: Drive) -> None:
    """The clock of another machine, or ours before it was set back, is no reason."""
    scene, _ = scene_with(drive, HELD)
    scene.clock.now = NOW - 100_000

    asker = scene.ask()

    assert not asker.is_over
    assert len(scene.backend.questions) == 1


def test_a_renewal_that_nobody_can_use_says_nothing(drive: Drive) -> None:
    """Ours R5: a 304 without a file to renew opens nothing."""
    scene, _ = scene_with(drive)
    asker = scene.ask()

    scene.answer(RobotsResponse(304, not_modified=True))

    found = asker.result()
    assert isinstance(found, Policy)
    assert not found.is_known
