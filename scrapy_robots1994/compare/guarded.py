"""GuardedComparer: a comparer that no parser can stop."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.impact import Example, SiteImpact
from scrapy_robots1994.compare.parsers import Decision, Direction
from scrapy_robots1994.compare.worker_process import (
    DeadlineExceeded,
    WorkerDied,
    WorkerProcess,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_robots1994.compare.comparer import Comparer, Comparison


class GuardedComparer:
    """A `Comparer` in a process of its own, with a deadline for each parser and file.

    A parser that does not answer in time, or that brings its process down, counts as
    having raised `Timeout` or `WorkerDied`; *on_stuck* is called once for it and the
    file, which it is not asked about again. Call it from one thread at a time.
    """

    def __init__(
        self,
        make: Callable[[], Comparer],
        names: tuple[str, ...],
        *,
        on_stuck: Callable[[str, str], object] = lambda _parser, _label: None,
        seconds: float,
    ) -> None:
        self.names = names
        self._worker = WorkerProcess(make)
        self._on_stuck = on_stuck
        self._seconds = seconds
        self._stuck: dict[tuple[str, str], str] = {}

    def compare(self, task: Comparison) -> SiteImpact:
        """Return how all parsers differ from ours by the questions of *task*."""
        site = SiteImpact.of(task.capture)
        for name in self.names:
            site.add(self._compare(name, task))
        return site

    def _compare(self, name: str, task: Comparison) -> SiteImpact:
        """Return the same for one parser."""
        label = task.capture.label
        if (name, label) not in self._stuck:
            try:
                site: SiteImpact = self._worker.call(
                    self._seconds, "compare", name, task
                )
            except DeadlineExceeded:
                if task.diagnose:
                    # The search for causes may have taken the time, not the answers.
                    return _undiagnosed(
                        self._compare(name, replace(task, diagnose=False))
                    )
                self._note(name, label, "Timeout")
            except WorkerDied:
                self._note(name, label, "WorkerDied")
            else:
                return site
        return _raised(name, task, self._stuck[name, label])

    def _note(self, name: str, label: str, how: str) -> None:
        """Remember and report a parser that does not come to an end."""
        self._stuck[name, label] = how
        self._on_stuck(name, label)

    def explain(self, site: SiteImpact) -> SiteImpact:
        """Return *site* with its examples explained, as far as there is time."""
        for name in self.names:
            if (name, site.label) in self._stuck:
                continue
            try:
                found = self._worker.call(self._seconds, "explain", name, site)
            except (DeadlineExceeded, WorkerDied):
                continue
            site.examples.update(found.examples)
        return site

    def close(self) -> None:
        """End the process, whatever it does, and a call that waits for it."""
        self._worker.close()


def _undiagnosed(site: SiteImpact) -> SiteImpact:
    """Return *site*, whose answers came in time and whose causes did not."""
    if not site.causes:
        for (name, way), number in site.counts.items():
            if way is not Direction.AGREE:
                site.causes[name, way, Cause.TIMEOUT] = number
    return site


def _raised(name: str, task: Comparison, how: str) -> SiteImpact:
    """Return the impact of a parser that raised *how* at every question."""
    site = SiteImpact.of(task.capture)
    site.counts[name, Direction.RAISED] = len(task.questions)
    site.causes[name, Direction.RAISED, Cause.OTHER] = len(task.questions)
    theirs = str(Decision(None, how))
    for question in task.questions:
        example = Example(question, theirs, Cause.OTHER)
        site.keep((name, Direction.RAISED), example, task.capture.body)
    return site
