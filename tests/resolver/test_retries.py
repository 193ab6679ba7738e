"""Retries while requests wait (§3.1), each in the context of one that waits now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.policy import Cancelled, LocalFault, Policy, RobotsResponse
from scrapy_robots1994.policy.faults import RetrySchedule
from tests.policy.samples import SITE, TIMEOUT
from tests.resolver.scene import FILE, Scene, end_of, reason_of

if TYPE_CHECKING:
    from scrapy_robots1994.policy import FetchResult
    from tests.resolver.drives import Drive

BUSY = RobotsResponse(503)
FAULT = LocalFault(OSError(24, "Too many open files"))


@pytest.fixture
def scene(drive: Drive) -> Scene:
    """Make a scene whose resolver retries three times."""
    return Scene(drive, retries=RetrySchedule(times=3))


@pytest.mark.parametrize("first", [TIMEOUT, BUSY, FAULT], ids=["R5", "status", "R7"])
def test_a_first_failure_costs_no_request(scene: Scene, first: FetchResult) -> None:
    """All who waited, and who came during the pause, get the policy of the retry."""
    askers = [scene.ask() for _ in range(3)]
    scene.answer(first)
    askers.append(scene.ask())
    assert not any(asker.is_over for asker in askers)

    assert 1.0 <= scene.wake() <= 1.25
    scene.answer(FILE)

    assert {id(asker.result()) for asker in askers} == {id(scene.backend.told[0])}
    assert scene.backend.retries == [first]
    assert scene.memory.puts == scene.backend.told


def test_ours_r5_after_the_last_retry_the_origin_is_unreachable(scene: Scene) -> None:
    """Two retries of a network failure, then the result stands and is remembered."""
    asker = scene.ask()
    for least in (1.0, 4.0):
        scene.answer(TIMEOUT)
        assert least <= scene.wake() <= 1.25 * least
    scene.answer(TIMEOUT)

    policy = asker.result()
    assert not policy.is_known
    assert len(scene.backend.questions) == 3
    assert scene.resolver.fresh(SITE) is policy


def test_ours_r7_after_the_last_retry_each_request_fails_and_nothing_is_known(
    scene: Scene,
) -> None:
    """The next request starts anew."""
    askers = [scene.ask() for _ in range(3)]
    for _ in range(2):
        scene.answer(FAULT)
        scene.wake()
    scene.answer(FAULT)

    ends = [end_of(asker) for asker in askers]
    assert [type(end) for end in ends] == [OSError] * 3
    assert len({id(end) for end in ends}) == 3
    assert scene.memory.puts == []
    scene.ask()
    assert len(scene.backend.questions) == 4


def test_each_retry_leaves_as_another_request_that_waits(scene: Scene) -> None:
    """With rotating proxies: through another one; a third context comes in time."""
    scene.ask(context="proxy 1")
    scene.ask(context="proxy 1")
    scene.ask(context="proxy 2")
    scene.answer(BUSY)
    scene.wake()
    scene.answer(BUSY)
    scene.ask(context="proxy 3")
    scene.wake()
    scene.answer(BUSY)
    scene.wake()

    contexts = [question.context for question in scene.backend.questions]
    assert contexts[:3] == ["proxy 1", "proxy 2", "proxy 3"]
    assert contexts[3] != "proxy 3"


def test_a_retry_does_not_leave_as_a_request_that_has_gone(scene: Scene) -> None:
    """Who cancelled its wait lends its context no more."""
    first = scene.ask(context="proxy 1")
    gone = scene.ask(context="proxy 2")
    scene.ask(context="proxy 3")
    scene.answer(FAULT)
    scene.cancel(gone)
    scene.cancel(first)
    scene.wake()

    assert [q.context for q in scene.backend.questions] == ["proxy 1", "proxy 3"]


def test_when_all_have_left_the_origin_still_has_its_retries(scene: Scene) -> None:
    """A policy is not refused to those who come later for a failure that may pass."""
    scene.cancel(scene.ask())
    scene.answer(TIMEOUT)
    scene.wake()
    late = scene.ask()
    scene.answer(FILE)

    assert isinstance(late.result(), Policy)


def test_ours_r6_a_cancelled_fetch_is_not_retried(scene: Scene) -> None:
    """Whoever cancels a fetch wants its end."""
    asker = scene.ask()
    scene.answer(Cancelled("withdrawn"))

    assert reason_of(asker) == "withdrawn"
    assert scene.backend.pauses == []


@pytest.mark.parametrize("is_paused", [False, True], ids=["fetch", "pause"])
def test_ours_r6_abort_ends_every_wait_and_every_fetch(
    scene: Scene, *, is_paused: bool
) -> None:
    """Each who waits gets an exception of its own; the work of the fetch is cancelled."""
    askers = [scene.ask() for _ in range(3)]
    if is_paused:
        scene.answer(TIMEOUT)

    scene.abort("the crawl closes")

    assert {reason_of(asker) for asker in askers} == {"the crawl closes"}
    assert len({id(end_of(asker)) for asker in askers}) == 3
    assert all(work.is_cancelled for work in scene.backend.works)
    assert scene.backend.under_way == []
    assert scene.memory.puts == []


def test_ours_r6_after_abort_no_fetch_starts(scene: Scene) -> None:
    """A request that comes then is aborted at once."""
    scene.abort("the crawl closes")

    assert reason_of(scene.ask()) == "the crawl closes"
    assert scene.backend.questions == []


def test_ours_r6_after_abort_known_policies_are_still_used(scene: Scene) -> None:
    """A stale one, too, but without its refresh."""
    scene.ask()
    scene.answer(FILE)
    policy = scene.backend.told[0]
    scene.clock.now += 100

    scene.abort()

    assert scene.ask().result() is policy
    assert len(scene.backend.questions) == 1


def test_ours_r6_abort_while_listeners_run_keeps_the_policy(scene: Scene) -> None:
    """The origin has stated it; only the waits end."""
    scene.backend.listeners = scene.drive.pending()
    asker = scene.ask()
    scene.answer(FILE)

    scene.abort()

    assert reason_of(asker) == "closing"
    assert scene.resolver.fresh(SITE) is scene.backend.told[0]
