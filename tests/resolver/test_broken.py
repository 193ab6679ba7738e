"""Whatever breaks during a fetch, no wait is endless and nothing is opened (R6, R7)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from twisted.internet.defer import CancelledError

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy import Cancelled, LocalFault, Policy
from tests.policy.samples import SITE
from tests.resolver.scene import end_of, reason_of

if TYPE_CHECKING:
    from tests.resolver.drives import Running
    from tests.resolver.scene import Scene

ERRORS = [
    ZeroDivisionError("a bug"),
    asyncio.CancelledError(),
    CancelledError(),
    GeneratorExit(),
]
errors = pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)


def assert_no_policy(scene: Scene, askers: list[Running[Policy]]) -> None:
    """All of *askers* ended without a policy; the next one asks afresh."""
    assert all(isinstance(end_of(asker), Exception) for asker in askers)
    assert scene.memory.get(SITE) is None
    assert [origin for origin, _ in scene.backend.given_up] == [SITE]
    asked = len(scene.backend.questions)
    late = scene.ask()
    assert len(scene.backend.questions) == asked + 1
    scene.answer()
    assert isinstance(late.result(), Policy)


def assert_is_own(
    scene: Scene, askers: list[Running[Policy]], error: BaseException
) -> None:
    """Ours R7: each of *askers* failed with a copy of a bug, else was aborted."""
    if not isinstance(error, ZeroDivisionError):
        assert all(isinstance(end_of(asker), FetchAborted) for asker in askers)
        return
    ends = [end_of(asker) for asker in askers]
    assert [type(end) for end in ends] == [ZeroDivisionError] * len(askers)
    assert all(end.__cause__ is error for end in ends if isinstance(end, Exception))
    assert len({id(end) for end in [*ends, error]}) == len(askers) + 1


def test_ours_r6_a_cancelled_question_states_nothing(scene: Scene) -> None:
    """All who waited learn why there is no policy, and none is stored."""
    askers = [scene.ask() for _ in range(4)]

    scene.answer(Cancelled("the crawl is closing"))

    assert {reason_of(asker) for asker in askers} == {"the crawl is closing"}
    assert len({id(end_of(asker)) for asker in askers}) == 4
    assert scene.backend.told == []
    assert_no_policy(scene, askers)


def test_ours_r7_a_fault_of_ours_reaches_each_request_as_its_own_exception(
    scene: Scene,
) -> None:
    """Same class and arguments, the first one as the cause; nothing is remembered."""
    askers = [scene.ask() for _ in range(4)]
    fault = OSError(24, "Too many open files")

    scene.answer(LocalFault(fault))

    ends = [end_of(asker) for asker in askers]
    assert {type(end) for end in ends} == {OSError}
    assert {end.args for end in ends if isinstance(end, OSError)} == {fault.args}
    assert len({id(end) for end in [fault, *ends]}) == 5
    assert all(end.__cause__ is fault for end in ends if isinstance(end, OSError))
    assert fault.__traceback__ is None
    assert_no_policy(scene, askers)


@errors
def test_a_fetch_that_raises_releases_all(scene: Scene, error: BaseException) -> None:
    """An error in the middle of a fetch, of whatever kind, leaves nobody waiting."""
    askers = [scene.ask() for _ in range(4)]

    scene.fail(error)

    assert_is_own(scene, askers, error)
    assert_no_policy(scene, askers)


@errors
def test_a_fetch_that_raises_at_once_releases_the_one_who_asked(
    scene: Scene, error: BaseException
) -> None:
    """An error before anything was waited for is no different."""
    scene.backend.faults.fetch = error

    asker = scene.ask()

    scene.backend.faults.fetch = None
    assert_is_own(scene, [asker], error)
    assert_no_policy(scene, [asker])


@errors
def test_a_body_that_cannot_be_read_opens_nothing(
    scene: Scene, error: BaseException
) -> None:
    """Where parsing breaks, every request fails, and nothing is stored."""
    scene.backend.faults.read = error
    askers = [scene.ask() for _ in range(4)]

    scene.answer()

    scene.backend.faults.read = None
    assert_is_own(scene, askers, error)
    assert_no_policy(scene, askers)


@errors
def test_a_listener_that_breaks_takes_the_policy_from_no_request(
    scene: Scene, error: BaseException
) -> None:
    """The origin has stated its policy; what breaks after that does not undo it."""
    scene.backend.faults.listeners = error
    askers = [scene.ask() for _ in range(4)]

    scene.answer()

    assert {id(asker.result()) for asker in askers} == {id(scene.backend.told[0])}
    assert scene.resolver.fresh(SITE) is scene.backend.told[0]


def test_who_is_told_of_a_failure_may_break_too(scene: Scene) -> None:
    """Even then each who waits is released."""
    scene.backend.faults.failed = ZeroDivisionError("a bug")
    askers = [scene.ask() for _ in range(4)]

    scene.answer(Cancelled("the crawl is closing"))

    assert_no_policy(scene, askers)


def test_a_fetch_cancelled_from_outside_releases_all(scene: Scene) -> None:
    """Cancelling the work of the fetch ends the wait of everybody."""
    askers = [scene.ask() for _ in range(4)]

    scene.cancel(scene.backend.works[0])

    assert scene.backend.works[0].is_cancelled
    assert_no_policy(scene, askers)


def test_a_fetch_cancelled_before_its_first_step_releases_all(scene: Scene) -> None:
    """On asyncio a cancelled task may never begin; its waiters still have an end."""
    askers = [scene.drive.run(scene.resolver.resolve(SITE, "direct")) for _ in range(4)]
    while not scene.backend.works:
        scene.drive.step()

    scene.cancel(scene.backend.works[0])

    assert_no_policy(scene, askers)


def test_work_that_cannot_be_started_leaves_no_fetch_behind(scene: Scene) -> None:
    """On a closed loop nothing starts: who asked is told, and the next one may try."""
    scene.backend.faults.start = RuntimeError("Event loop is closed")

    asker = scene.ask()

    with pytest.raises(RuntimeError, match="loop is closed"):
        asker.result()
    scene.backend.faults.start = None
    assert_no_policy(scene, [])


def test_the_reason_of_a_release_is_told_once(scene: Scene) -> None:
    """One broken fetch is one event, however many waited for it."""
    for _ in range(4):
        scene.ask()

    scene.fail(GeneratorExit())

    broke_off = Cancelled("the fetch of robots.txt broke off")
    assert scene.backend.given_up == [(SITE, broke_off)]
