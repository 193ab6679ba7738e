"""A request that stops waiting disturbs neither the fetch nor the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.policy import Cancelled, Policy
from tests.policy.samples import SITE

if TYPE_CHECKING:
    from tests.resolver.scene import Scene


@pytest.mark.parametrize("gone", [0, 2, 4], ids=["first", "middle", "last"])
def test_one_who_leaves_leaves_alone(scene: Scene, gone: int) -> None:
    """First, middle or last in line: the others get their policy by the same fetch."""
    askers = [scene.ask() for _ in range(5)]

    scene.cancel(askers[gone])
    scene.answer()

    assert askers.pop(gone).is_cancelled
    assert all(isinstance(asker.result(), Policy) for asker in askers)
    assert len(scene.backend.questions) == 1


def test_the_fetch_goes_on_when_all_have_left(scene: Scene) -> None:
    """Its answer is held for those who come later."""
    askers = [scene.ask() for _ in range(5)]

    for asker in askers:
        scene.cancel(asker)
    scene.answer()

    assert all(asker.is_cancelled for asker in askers)
    assert scene.resolver.fresh(SITE) is scene.backend.told[0]


def test_who_comes_when_all_have_left_joins_the_fetch(scene: Scene) -> None:
    """A fetch that nobody waits for is still the one fetch of its origin."""
    scene.cancel(scene.ask())

    late = scene.ask()
    scene.answer()

    assert isinstance(late.result(), Policy)
    assert len(scene.backend.questions) == 1


def test_who_has_left_is_not_released(scene: Scene) -> None:
    """A cancelled wait is out of the line at once; nothing is kept for it."""
    askers = [scene.ask() for _ in range(3)]

    scene.cancel(askers[1])
    scene.answer()

    assert [waiter.releases for waiter in scene.backend.waiters] == [1, 0, 1]


def test_leaving_while_being_released_harms_nobody(scene: Scene) -> None:
    """The first to go on may cancel the next, whose release then has no effect."""
    askers = [scene.ask() for _ in range(3)]
    askers[0].when_over(askers[1].cancel)

    scene.answer()

    assert askers[1].is_over
    assert isinstance(askers[0].result(), Policy)
    assert isinstance(askers[2].result(), Policy)


def test_leaving_after_a_cancelled_fetch_harms_nobody(scene: Scene) -> None:
    """Who joins anew after a release stands in a new line, not in the old one."""
    first = scene.ask()
    scene.answer(Cancelled("withdrawn"))
    second, third = scene.ask(), scene.ask()

    scene.cancel(first)
    scene.cancel(second)
    scene.answer()

    assert second.is_cancelled
    assert isinstance(third.result(), Policy)
