"""A policy that ran out: used beside one refresh, or a last resort, or over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.policy import (
    Cancelled,
    FreshnessSettings,
    Policy,
    RobotsResponse,
)
from tests.policy.samples import NOW, SITE, TIMEOUT
from tests.resolver.scene import Scene, reason_of

if TYPE_CHECKING:
    from tests.resolver.drives import Drive

FRESH, STALE, KEPT = NOW + 100, NOW + 200, NOW + 1100
NEW = RobotsResponse(200, b"User-agent: *\nDisallow: /new\n")


@pytest.fixture
def old(scene: Scene) -> Policy:
    """Let the scene hold a policy from the start."""
    scene.ask()
    scene.answer()
    policy = scene.memory.get(SITE)
    assert policy is not None
    return policy


def test_a_stale_policy_is_used_while_one_refresh_runs(
    scene: Scene, old: Policy
) -> None:
    """Ten requests after its end are answered at once, and ask the origin once."""
    scene.clock.now = FRESH

    askers = [scene.ask() for _ in range(10)]

    assert [asker.result() for asker in askers] == [old] * 10
    assert len(scene.backend.questions) == 2
    assert scene.resolver.fresh(SITE) is None


def test_the_refresh_takes_the_place_of_the_stale_policy(
    scene: Scene, old: Policy
) -> None:
    """Once it is there, it is what everybody gets."""
    scene.clock.now = FRESH
    scene.ask()

    scene.answer(NEW)

    assert scene.resolver.fresh(SITE) != old
    assert scene.ask().result() is scene.resolver.fresh(SITE)
    assert len(scene.backend.questions) == 2


def test_ours_r5_a_refresh_that_fails_leaves_the_last_good_policy(
    scene: Scene, old: Policy
) -> None:
    """It stands in, fresh until the pause is over; then one refresh runs again."""
    scene.clock.now = FRESH
    scene.ask()
    scene.answer(TIMEOUT)
    standing = scene.resolver.fresh(SITE)
    assert standing is not None
    assert standing.is_stale_on_error
    assert standing.stated == old.stated

    scene.clock.now = FRESH + 30

    assert scene.ask().result() is standing
    assert len(scene.backend.questions) == 3


def test_ours_r6_a_refresh_that_is_cancelled_changes_nothing(
    scene: Scene, old: Policy
) -> None:
    """The stale policy is still used, and the next request starts a new refresh."""
    scene.clock.now = FRESH
    scene.ask()
    scene.answer(Cancelled("withdrawn"))

    assert scene.ask().result() is old
    assert len(scene.backend.questions) == 3


def test_a_refresh_whose_work_cannot_start_is_told_of(
    scene: Scene, old: Policy
) -> None:
    """The request that would have started it breaks; no fetch is left behind."""
    scene.clock.now = FRESH
    scene.backend.faults.start = RuntimeError("Event loop is closed")
    with pytest.raises(RuntimeError):
        scene.ask().result()

    scene.backend.faults.start = None

    assert scene.ask().result() is old
    assert len(scene.backend.questions) == 2


def test_past_its_staleness_a_policy_is_waited_for(scene: Scene, old: Policy) -> None:
    """Then it is no longer used beside a fetch."""
    scene.clock.now = STALE

    asker = scene.ask()

    assert not asker.is_over
    scene.answer(NEW)
    assert asker.result() != old
    assert asker.result() is scene.resolver.fresh(SITE)


def test_who_comes_past_staleness_joins_the_refresh_under_way(
    scene: Scene, old: Policy
) -> None:
    """A refresh that outlasts the stale policy gets waiters after all."""
    scene.clock.now = FRESH
    scene.ask()
    scene.clock.now = STALE
    asker = scene.ask()
    assert not asker.is_over

    scene.answer(NEW)

    assert asker.result() is scene.resolver.fresh(SITE)
    assert len(scene.backend.questions) == 2


def test_ours_r5_the_last_good_policy_stands_when_the_origin_is_silent(
    scene: Scene, old: Policy
) -> None:
    """Who waited past its staleness gets it after all, if nothing better comes."""
    scene.clock.now = KEPT - 1
    asker = scene.ask()

    scene.answer(RobotsResponse(503))

    found = asker.result()
    assert isinstance(found, Policy)
    assert found.stated == old.stated
    assert found.fresh_until == found.keep_until == KEPT


def test_ours_r5_a_policy_that_ended_during_the_fetch_stands_in_no_more(
    scene: Scene, old: Policy
) -> None:
    """What counts is the moment of the failure, not of the question."""
    scene.clock.now = KEPT - 1
    asker = scene.ask()

    scene.clock.now = KEPT
    scene.answer(TIMEOUT)

    found = asker.result()
    assert isinstance(found, Policy)
    assert not found.is_known


def test_ours_r6_a_cancelled_fetch_past_staleness_refuses(
    scene: Scene, old: Policy
) -> None:
    """A last resort is for silent origins; here nobody asked to the end."""
    scene.clock.now = STALE
    asker = scene.ask()

    scene.answer(Cancelled("withdrawn"))

    assert reason_of(asker) == "withdrawn"
    assert scene.memory.get(SITE) is old


def test_a_clock_that_went_back_asks_once_more_and_then_pauses(
    scene: Scene, old: Policy
) -> None:
    """A policy from the future is renewed; if that fails it stands, and is in time."""
    scene.clock.now = NOW - 3600
    asker = scene.ask()
    assert not asker.is_over

    scene.answer(TIMEOUT)

    assert scene.resolver.fresh(SITE) is asker.result()
    scene.ask()
    assert len(scene.backend.questions) == 2


def test_with_a_ttl_of_zero_each_use_refreshes(drive: Drive) -> None:
    """Who waits gets the answer; who comes after gets it beside the next question."""
    scene = Scene(drive, FreshnessSettings(ttl=0.0, min_ttl=0.0))
    first = scene.ask()
    scene.answer()

    second = scene.ask()

    assert second.result() is first.result()
    assert len(scene.backend.questions) == 2


def test_when_nothing_may_be_kept_each_who_comes_waits(drive: Drive) -> None:
    """Without TTL and STALE_TTL every answer serves those who waited for it alone."""
    scene = Scene(drive, FreshnessSettings(ttl=0.0, min_ttl=0.0, stale_if_error=0.0))
    askers = [scene.ask(), scene.ask()]
    scene.answer()
    late = scene.ask()

    assert all(isinstance(asker.result(), Policy) for asker in askers)
    assert not late.is_over
    assert len(scene.memory) == 0
    scene.answer(NEW)
    assert isinstance(late.result(), Policy)
