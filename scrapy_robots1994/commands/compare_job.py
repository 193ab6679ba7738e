"""A comparison job: many files, compared on as many executors' workers as there are.

The workers may be threads here or processes of a cluster. Each leaves the parsers to a
process of its own (`GuardedComparer`), which a deadline or Ctrl-C can end.
"""

from __future__ import annotations

import os
import signal
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.project import get_project_settings

from scrapy_robots1994.commands.compare_inputs import NOWHERE, capture_of, origin_of
from scrapy_robots1994.commands.inputs import what_failed
from scrapy_robots1994.compare.comparer import Comparer, Comparison
from scrapy_robots1994.compare.guarded import GuardedComparer
from scrapy_robots1994.compare.impact import SiteImpact, Totals
from scrapy_robots1994.compare.parsers import Capture, Question
from scrapy_robots1994.compare.questions import questions
from scrapy_robots1994.crawl.features.peers import peers
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_robots1994.commands.compare_inputs import CompareInput
    from scrapy_robots1994.commands.executors import Executor

ItemT = TypeVar("ItemT")

BATCH = 8
"""Files of one task; two tasks for each worker wait in memory."""

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Job:
    """What to compare, as plain values that travel.

    *urls* are asked instead of questions made from the files. *names* are those of the
    parsers, *settings* those of the project and the command line.
    """

    parsers: tuple[str, ...]
    names: tuple[str, ...]
    dialect: str
    reading: str
    limit: int
    robots: tuple[str, ...]
    urls: tuple[str, ...] | None
    max_questions: int
    seconds: int
    overrides: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Result:
    """What came of some files: *unread* has a line for each that could not be read,
    *stuck* the parser and file of each comparison that took too long.
    """

    totals: Totals = field(default_factory=Totals)
    unread: list[str] = field(default_factory=list)
    stuck: list[tuple[str, str]] = field(default_factory=list)
    files: int = 0

    def add(self, other: Result) -> None:
        """Add what *other* found."""
        self.totals.add(other.totals)
        self.unread += other.unread
        self.stuck += other.stuck
        self.files += other.files


def load_peers(names: Iterable[str], overrides: Iterable[tuple[str, str]]) -> list[Any]:
    """Return the parsers of these *names*, made with the settings of the project."""
    settings = get_project_settings()
    # A crawler sets up logging by its settings, here as in any process.
    settings.set("LOG_LEVEL", "WARNING", priority="command")
    for name, value in overrides:
        settings.set(name, value, priority="cmdline")
    return peers(names, Crawler(Spider, settings))


def make_comparer(job: Job) -> Comparer:
    """Return the comparer of *job*, in the process that runs the parsers."""
    others = load_peers(job.parsers, job.overrides)
    return Comparer.with_options(others, dialect=job.dialect, reading=job.reading)


class Guards:
    """The comparers of this process, one for each job and thread of an executor."""

    def __init__(self) -> None:
        self._made: dict[tuple[Job, int], GuardedComparer] = {}
        self._stuck: dict[int, list[tuple[str, str]]] = {}
        self.is_open = True

    def of(self, job: Job) -> GuardedComparer:
        """Return the comparer of *job* in this thread, made at the first call."""
        me = get_ident()
        known = self._made.get((job, me))
        if known is None:
            stuck = self._stuck.setdefault(me, [])
            note = lambda name, label: stuck.append((name, label))  # noqa: E731 - of one line
            known = GuardedComparer(
                partial(make_comparer, job),
                job.names,
                on_stuck=note,
                seconds=job.seconds,
            )
            self._made[job, me] = known
            if not self.is_open:
                known.close()
        return known

    def take_stuck(self) -> list[tuple[str, str]]:
        """Return what got stuck in this thread since the last call."""
        stuck = self._stuck.get(get_ident(), [])
        taken = stuck[:]
        stuck.clear()
        return taken

    def close(self) -> None:
        """End all processes, and the calls that wait for them."""
        self.is_open = False
        for each in list(self._made.values()):
            each.close()
        self._made.clear()


# Workers of a cluster are given functions and values, and nowhere to keep a process.
_guards = Guards()


def compare_some(job: Job, inputs: Sequence[CompareInput]) -> Result:
    """Compare all of *inputs*."""
    guard, result = _guards.of(job), Result()
    for found in inputs:
        result.files += 1
        try:
            capture = _truncated(capture_of(found), job.limit)
        except OSError as error:
            result.unread.append(what_failed(error))
            continue
        task = Comparison(capture, tuple(_questions(job, capture)))
        result.totals.add_site(guard.compare(task))
    result.stuck = _guards.take_stuck()
    return result


def explain_some(job: Job, sites: Sequence[SiteImpact]) -> list[SiteImpact]:
    """Explain the examples of all *sites*."""
    return list(map(_guards.of(job).explain, sites))


def _truncated(capture: Capture, limit: int) -> Capture:
    """Return *capture* with the whole lines that are obeyed, for all parsers alike."""
    if len(capture.body) <= limit:
        return capture
    # Ours O24: the whole lines within the limit.
    body = capture.body[:limit]
    end = max(body.rfind(b"\n"), body.rfind(b"\r")) + 1
    return Capture(capture.label, body[:end], capture.uniform, capture.status)


def _questions(job: Job, capture: Capture) -> list[Question]:
    """Return the questions about *capture*: made from it, or the URLs of the job."""
    origin = origin_of(capture)
    made = questions(
        origin, capture.body, robots=job.robots, max_questions=job.max_questions
    )
    if job.urls is None:
        return made
    urls = [
        origin + url if url.startswith("/") else url
        for url in job.urls
        if url.startswith("/") or origin == NOWHERE or str(Origin.of(url)) == origin
    ]
    robots = dict.fromkeys(question.robot for question in made)
    return [Question(url, robot) for url in urls for robot in robots]


@dataclass(slots=True)
class Outcome:
    """What came of a job, also when it was interrupted half way."""

    result: Result = field(default_factory=Result)
    is_interrupted: bool = False


def run(
    job: Job,
    inputs: Iterable[CompareInput],
    executor: Executor,
    workers: int,
    step: Callable[[], None],
) -> Outcome:
    """Compare all of *inputs*; *step* is called after each.

    Ctrl-C ends it early, with what has been compared until then.
    """
    outcome = Outcome()
    result = outcome.result
    _guards.is_open = True
    with _interrupts(outcome):
        compared = (partial(compare_some, job, some) for some in _batches(inputs))
        for part in _completed(executor, compared, workers):
            result.add(part)
            for _ in range(part.files):
                step()
        result.totals.trim()
        changed = [site for site in result.totals.sites.values() if site.examples]
        explained = (partial(explain_some, job, some) for some in _batches(changed))
        for sites in _completed(executor, explained, workers):
            result.totals.sites.update({site.label: site for site in sites})
    return outcome


@contextmanager
def _interrupts(outcome: Outcome) -> Iterator[None]:
    """Let Ctrl-C end the block and what it waits for; a second one ends all at once."""
    try:
        yield
    except KeyboardInterrupt:
        outcome.is_interrupted = True
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    finally:
        _guards.close()


def _completed(
    executor: Executor, tasks: Iterable[Callable[[], Any]], workers: int
) -> Iterator[Any]:
    """Yield what each of *tasks* returns, never many of them under way."""
    waiting = iter(tasks)
    under_way: set[Future[Any]] = set()
    while True:
        for task in islice(waiting, 2 * workers - len(under_way)):
            under_way.add(executor.submit(task))
        if not under_way:
            return
        over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in over)


def _batches(items: Iterable[ItemT]) -> Iterator[list[ItemT]]:
    """Yield *items* in lists of at most `BATCH`."""
    going = iter(items)
    while batch := list(islice(going, BATCH)):
        yield batch
