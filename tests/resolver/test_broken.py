"""Whatever breaks on the way, nobody hangs and nothing is opened (R6)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from twisted.internet.defer import CancelledError

from scrapy_robots1994.policy import Cancelled, Policy
from scrapy_robots1994.policy.resolver import FetchAborted
from tests.policy.samples import SITE

if TYPE_CHECKING:
    from scrapy_robots1994.policy.resolver import Found
    from tests.resolver.drives import Running
    from tests.resolver.scene import Scene

ERRORS = [
    ZeroDivisionError("a bug"),
    asyncio.CancelledError(),
    CancelledError(),
    GeneratorExit(),
]
errors = pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)


def assert_refused(scene: Scene, askers: list[Running[Found]]) -> None:
    """All of *askers* are released without a policy; the next one asks afresh."""
    assert all(isinstance(asker.result(), FetchAborted) for asker in askers)
    assert scene.memory.get(SITE) is None
    assert [origin for origin, _ in scene.outside.given_up] == [SITE]
    asked = len(scene.outside.questions)
    late = scene.ask()
    assert len(scene.outside.questions) == asked + 1
    scene.answer()
    assert isinstance(late.result(), Policy)


def test_ours_r6_a_cancelled_question_states_nothing(scene: Scene) -> None:
    """All who waited learn why there is no policy, and none is stored."""
    askers = [scene.ask() for _ in range(4)]

    scene.answer(Cancelled("the crawl is closing"))

    assert {asker.result() for asker in askers} == {
        FetchAborted("the crawl is closing")
    }
    assert scene.outside.told == []
    assert_refused(scene, askers)


@errors
def test_a_fetch_that_raises_releases_all(scene: Scene, error: BaseException) -> None:
    """An error in the middle of a fetch, of whatever kind, leaves nobody waiting."""
    askers = [scene.ask() for _ in range(4)]

    scene.fail(error)

    assert_refused(scene, askers)


@errors
def test_a_fetch_that_raises_at_once_releases_the_one_who_asked(
    scene: Scene, error: BaseException
) -> None:
    """An error before anything was waited for is no different."""
    scene.outside.faults.fetch = error

    asker = scene.ask()

    scene.outside.faults.fetch = None
    assert_refused(scene, [asker])


@errors
def test_a_body_that_cannot_be_read_opens_nothing(
    scene: Scene, error: BaseException
) -> None:
    """Where parsing breaks, everyone is refused, and nothing is stored."""
    scene.outside.faults.read = error
    askers = [scene.ask() for _ in range(4)]

    scene.answer()

    scene.outside.faults.read = None
    assert_refused(scene, askers)


@errors
def test_a_listener_that_breaks_leaves_nobody_waiting(
    scene: Scene, error: BaseException
) -> None:
    """Who is told of a policy and raises cannot hold up those who wait for it."""
    scene.outside.faults.settled = error
    askers = [scene.ask() for _ in range(4)]

    scene.answer()

    scene.outside.faults.settled = None
    assert_refused(scene, askers)


def test_who_is_told_of_a_release_may_break_too(scene: Scene) -> None:
    """Even then each who waits is released."""
    scene.outside.faults.released = ZeroDivisionError("a bug")
    askers = [scene.ask() for _ in range(4)]

    scene.answer(Cancelled("the crawl is closing"))

    assert_refused(scene, askers)


def test_a_fetch_cancelled_from_outside_releases_all(scene: Scene) -> None:
    """Cancelling the work of the fetch ends the wait of everybody."""
    askers = [scene.ask() for _ in range(4)]

    scene.cancel(scene.outside.works[0])

    assert scene.outside.works[0].is_cancelled
    assert_refused(scene, askers)


def test_a_fetch_cancelled_before_its_first_step_releases_all(scene: Scene) -> None:
    """On asyncio a cancelled task may never begin; its waiters still have an end."""
    askers = [scene.drive.run(scene.keeper.find(SITE, "direct")) for _ in range(4)]
    while not scene.outside.works:
        scene.drive.step()

    scene.cancel(scene.outside.works[0])

    assert_refused(scene, askers)


def test_work_that_cannot_be_started_leaves_no_fetch_behind(scene: Scene) -> None:
    """On a closed loop nothing starts: who asked is told, and the next one may try."""
    scene.outside.faults.start = RuntimeError("Event loop is closed")

    asker = scene.ask()

    with pytest.raises(RuntimeError, match="loop is closed"):
        asker.result()
    scene.outside.faults.start = None
    assert_refused(scene, [])


def test_the_reason_of_a_release_is_told_once(scene: Scene) -> None:
    """One broken fetch is one event, however many waited for it."""
    for _ in range(4):
        scene.ask()

    scene.fail(ZeroDivisionError("a bug"))

    assert scene.outside.given_up == [(SITE, "the fetch of robots.txt broke off")]
