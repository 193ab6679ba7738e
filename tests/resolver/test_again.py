"""Who is released asks again at once, from inside of being released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy import Cancelled, Policy
from tests.policy.samples import SITE
from tests.resolver.scene import reason_of

if TYPE_CHECKING:
    from tests.resolver.drives import Running
    from tests.resolver.scene import Scene

WITHDRAWN = Cancelled("withdrawn")


async def stubborn(scene: Scene, times: int) -> list[Policy | str]:
    """Ask, and ask again without a pause, *times* in all; a reason for no policy."""
    ends: list[Policy | str] = []
    for _ in range(times):
        try:
            ends.append(await scene.resolver.resolve(SITE, "direct"))
        except FetchAborted as error:  # noqa: PERF203 - a wait each
            ends.append(error.reason)
    return ends


def start(scene: Scene, times: int) -> Running[list[Policy | str]]:
    """Let one stubborn request ask *times*."""
    running = scene.drive.run(stubborn(scene, times))
    scene.drive.turn()
    return running


def test_with_a_policy_asking_again_costs_nothing(scene: Scene) -> None:
    """The policy is held before the first one goes on, so it is found at once."""
    askers = [start(scene, 3) for _ in range(4)]

    scene.answer()

    policy = scene.memory.get(SITE)
    assert [asker.result() for asker in askers] == [[policy] * 3] * 4
    assert len(scene.backend.questions) == 1


def test_after_a_cancelled_fetch_one_new_one_starts(scene: Scene) -> None:
    """Four released ones who ask again wait for one new question, not for four."""
    askers = [start(scene, 2) for _ in range(4)]

    scene.answer(WITHDRAWN)
    assert len(scene.backend.questions) == 2
    scene.answer()

    for asker in askers:
        first, second = asker.result()
        assert first == "withdrawn"
        assert isinstance(second, Policy)


def test_the_released_and_the_new_do_not_mix(scene: Scene) -> None:
    """While one asks again, those behind it still get the end of the old fetch."""
    again = start(scene, 2)
    once = [scene.ask() for _ in range(3)]

    scene.answer(WITHDRAWN)

    assert [reason_of(asker) for asker in once] == ["withdrawn"] * 3
    assert not again.is_over


def test_an_answer_at_once_ends_each_round(scene: Scene) -> None:
    """Where every question is withdrawn at once, each asking has its own end."""
    scene.backend.at_once = WITHDRAWN

    asker = start(scene, 500)
    for _ in range(500):
        scene.drive.turn()

    assert asker.result() == ["withdrawn"] * 500
    assert len(scene.backend.questions) == 500
    assert scene.backend.doubled == []


def test_who_asks_again_may_leave(scene: Scene) -> None:
    """A wait that was begun anew is cancelled like any other."""
    asker = start(scene, 2)
    scene.answer(WITHDRAWN)

    scene.cancel(asker)
    scene.answer()

    assert asker.is_cancelled
    assert [waiter.releases for waiter in scene.backend.waiters] == [1, 0]
