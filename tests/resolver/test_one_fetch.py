"""However many ask, an origin is asked once, and each who waits is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from tests.policy.samples import CLOSED, NOW, SITE, TIMEOUT
from tests.resolver.scene import FILE, Scene

if TYPE_CHECKING:
    from tests.resolver.drives import Drive, Running

OTHER = Origin("https", "other.example", 443)


def policy_of(asker: Running[Policy]) -> Policy:
    """Give the policy that *asker* found."""
    found = asker.result()
    assert isinstance(found, Policy)
    return found


def test_fifty_who_wait_cost_one_fetch(scene: Scene) -> None:
    """Fifty requests of one origin at once make one question, not two."""
    askers = [scene.ask() for _ in range(50)]
    assert not any(asker.is_over for asker in askers)

    scene.answer()

    assert len(scene.backend.questions) == 1
    assert {id(asker.result()) for asker in askers} == {id(scene.memory.get(SITE))}


def test_none_of_fifty_is_let_through(scene: Scene) -> None:
    """Each of fifty who waited reads the rules, also those after the first."""
    askers = [scene.ask() for _ in range(50)]

    scene.answer()

    for asker in askers:
        assert not policy_of(asker).rules("robot").allowed_url(CLOSED)


def test_each_who_waits_has_a_waiting_object_of_its_own(scene: Scene) -> None:
    """Nobody can take another's result, and each is released exactly once."""
    for _ in range(50):
        scene.ask()

    scene.answer()

    assert len({id(waiter) for waiter in scene.backend.waiters}) == 50
    assert [waiter.releases for waiter in scene.backend.waiters] == [1] * 50


def test_the_fetch_leaves_as_the_first_who_asked(scene: Scene) -> None:
    """Who joins a fetch under way does not change how it leaves."""
    scene.ask(context="proxy")
    scene.ask(context="direct")

    assert [question.context for question in scene.backend.questions] == ["proxy"]


def test_origins_do_not_wait_for_each_other(scene: Scene) -> None:
    """A silent origin holds up nobody but its own requests."""
    slow = scene.ask(SITE)
    quick = scene.ask(OTHER)

    scene.answer(nth=1)

    assert policy_of(quick).origin == OTHER
    assert not slow.is_over
    scene.answer(nth=0)
    assert policy_of(slow).origin == SITE


def test_who_asks_after_the_answer_does_not_wait(scene: Scene) -> None:
    """A fresh policy is found at once, by asking or by recalling it."""
    scene.ask()
    scene.answer()

    late = scene.ask()

    assert policy_of(late) is scene.resolver.fresh(SITE)
    assert len(scene.backend.questions) == 1
    assert len(scene.backend.waiters) == 1


def test_what_is_unknown_is_not_recalled(scene: Scene) -> None:
    """Recalling never asks, and gives nothing before there is an answer."""
    assert scene.resolver.fresh(SITE) is None
    scene.ask()
    assert scene.resolver.fresh(SITE) is None
    assert len(scene.backend.questions) == 1


def test_an_answer_that_is_there_at_once_reaches_the_one_who_asked(
    scene: Scene,
) -> None:
    """A fetch may be over before the one who started it begins to wait."""
    scene.backend.at_once = FILE

    asker = scene.ask()

    assert policy_of(asker) is scene.resolver.fresh(SITE)
    assert len(scene.backend.questions) == 1


def test_the_policy_is_usable_while_listeners_run(scene: Scene) -> None:
    """A listener may wait for a page of the same origin; who waited goes on after it."""
    scene.backend.listeners = scene.drive.pending()
    asker = scene.ask()
    scene.answer()

    assert scene.resolver.fresh(SITE) is scene.backend.told[0]
    assert scene.ask().result() is scene.backend.told[0]
    assert not asker.is_over
    scene.backend.listeners.settle(None)
    scene.drive.turn()
    assert asker.result() is scene.backend.told[0]
    assert len(scene.backend.questions) == 1


def test_a_policy_that_holds_for_no_time_is_usable_while_listeners_run(
    drive: Drive,
) -> None:
    """Also where memory has nothing of it: a listener that waits never hangs."""
    scene = Scene(drive, FreshnessSettings(ttl=0.0, min_ttl=0.0, stale_if_error=0.0))
    scene.backend.listeners = scene.drive.pending()
    scene.ask()
    scene.answer()

    assert scene.ask().result() is scene.backend.told[0]
    assert len(scene.backend.questions) == 1


@pytest.mark.parametrize(("status", "reads"), [(200, 1), (404, 0), (403, 0), (500, 0)])
def test_only_the_body_of_a_file_is_read(scene: Scene, status: int, reads: int) -> None:
    """An error page is not parsed; its status says it all."""
    asker = scene.ask()

    scene.answer(RobotsResponse(status, b"User-agent: *\nDisallow: /\n"))

    assert len(scene.backend.reads) == reads
    assert policy_of(asker).status == status


def test_ours_r5_no_answer_is_a_policy_too(scene: Scene) -> None:
    """Who waited for an unreachable origin is told so, and it is not asked at once."""
    asker = scene.ask()

    scene.answer(TIMEOUT)

    assert not policy_of(asker).is_known
    assert scene.resolver.fresh(SITE) is asker.result()
    scene.clock.now = NOW + 30
    assert scene.resolver.fresh(SITE) is None
