"""Cancelled after the n-th step, for every n: nobody hangs, nothing stays half-made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy import Policy
from tests.policy.samples import SITE
from tests.resolver.scene import FILE, Scene, end_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.resolver.drives import Drive, Running

ASKERS = 3
WHO = ["first", "second", "last", "fetch"]
STEPS_BETWEEN = 6
"""More than anything takes to go on to its next wait."""


class Story:
    """Three requests of one origin, its answer, and its listeners, step by step."""

    def __init__(self, drive: Drive, victim: str) -> None:
        self.scene = Scene(drive)
        self.scene.backend.listeners = drive.pending()
        self.victim = victim
        self.askers: list[Running[Any]] = []
        self.is_cut_short = False

    def steps(self) -> Iterator[None]:
        """Tell the story; after each step something may happen to the victim."""
        for _ in range(ASKERS):
            find = self.scene.resolver.resolve(SITE, "direct")
            self.askers.append(self.scene.drive.run(find))
            yield
            yield from self.going_on()
        self.answer()
        yield
        yield from self.going_on()
        listeners = self.scene.backend.listeners
        if listeners is not None and listeners.is_open:
            listeners.settle(None)
        yield
        yield from self.going_on()

    def going_on(self) -> Iterator[None]:
        """Let everybody go on, one step at a time."""
        for _ in range(STEPS_BETWEEN):
            self.scene.drive.step()
            yield

    def answer(self) -> None:
        """Answer every question that has no answer yet."""
        for question in self.scene.backend.questions:
            if question.answer.is_open:
                question.answer.settle(FILE)

    def cancel(self) -> None:
        """Cancel the victim, if it is there already."""
        running = self.scene.backend.works if self.victim == "fetch" else self.askers
        place = {"first": 0, "second": 1, "last": 2, "fetch": 0}[self.victim]
        if place < len(running):
            running[place].cancel()

    def end(self) -> None:
        """Let all that still waits have what it waits for."""
        self.scene.backend.listeners = None
        self.scene.drive.turn()
        self.answer()
        self.scene.drive.turn()


def tell(drive: Drive, victim: str, until: int) -> Story | None:
    """The story with the victim cancelled after step *until*; `None` past its end."""
    story = Story(drive, victim)
    told = 0
    for told, _ in enumerate(story.steps(), 1):
        if told == until:
            story.cancel()
    if told < until:
        return None
    story.end()
    return story


@pytest.mark.parametrize("victim", WHO)
def test_cancelling_after_any_step_leaves_nobody_waiting(
    drive: Drive, victim: str
) -> None:
    """Each asker has an end: a policy, a release, or its own cancellation."""
    until = 1
    while story := tell(drive, victim, until):
        for asker in story.askers:
            assert asker.is_over, (victim, until)
            if not asker.is_cancelled:
                assert isinstance(end_of(asker), (Policy, FetchAborted))
        assert story.scene.backend.under_way == []
        assert story.scene.backend.doubled == []
        until += 1
    assert until > ASKERS * STEPS_BETWEEN


@pytest.mark.parametrize("victim", WHO)
def test_after_any_cancellation_the_next_request_starts_afresh(
    drive: Drive, victim: str
) -> None:
    """It finds the policy that was settled, or asks once more and gets one."""
    until = 1
    while story := tell(drive, victim, until):
        scene = story.scene
        asked, held = len(scene.backend.questions), scene.memory.get(SITE)
        late = scene.ask()
        if held is None:
            assert len(scene.backend.questions) == asked + 1
            scene.answer()
        assert isinstance(late.result(), Policy), (victim, until)
        assert late.result() is scene.resolver.fresh(SITE)
        until += 1
