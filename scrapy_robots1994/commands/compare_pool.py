"""The pool: a job over many sources on all cores, in memory that does not grow."""

from __future__ import annotations

import multiprocessing
import signal
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from scrapy_robots1994.commands.compare_job import (
    Job,
    Result,
    compare_some,
    explain_some,
)
from scrapy_robots1994.compare import Totals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_robots1994.commands.compare_inputs import Source
    from scrapy_robots1994.compare import Explanation

ItemT = TypeVar("ItemT")

TOGETHER = 8
"""Files that one task compares; so few wait in memory for each core."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job, also when it was interrupted half way."""

    result: Result
    explanations: tuple[Explanation, ...]
    is_interrupted: bool


class _Here:
    """Does at once, in this process, what a pool would do in another."""

    def submit(
        self,
        work: Callable[[Job, list[Source]], Result],
        job: Job,
        some: list[Source],
    ) -> Future[Result]:
        """Do it, and return it done."""
        done: Future[Result] = Future()
        done.set_result(work(job, some))
        return done


def run(
    job: Job, sources: Iterable[Source], cores: int, step: Callable[[], None]
) -> Outcome:
    """Compare all of *sources* on *cores*; *step* is called after each.

    Ctrl-C ends it early, with what has been compared until then.
    """
    result = Result(Totals(job.samples), Counter(), [])
    explanations: list[Explanation] = []
    is_interrupted = False
    with _workers(cores) as workers:
        try:
            for part in _compared(workers, job, sources, cores):
                result.add(part)
                for _ in range(part.totals.captures + len(part.unreadable)):
                    step()
        except KeyboardInterrupt:
            is_interrupted = True
        sampled = list(result.totals.sampled())
        if isinstance(workers, _Here) or is_interrupted:
            explanations += explain_some(job, sampled)
        else:
            tasks = [
                workers.submit(explain_some, job, some)
                for some in _pieces(sampled, TOGETHER)
            ]
            for task in tasks:
                explanations += task.result()
    return Outcome(result, tuple(explanations), is_interrupted)


@contextmanager
def _workers(cores: int) -> Iterator[ProcessPoolExecutor | _Here]:
    """Processes to work in, or this one alone."""
    if cores <= 1:
        yield _Here()
        return
    pool = ProcessPoolExecutor(
        cores,
        # The same on every system, and without copies of what runs here.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_leave_interrupts_to_the_parent,
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    """Let a worker end what it has begun; Ctrl-C reaches all processes at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _compared(
    workers: ProcessPoolExecutor | _Here,
    job: Job,
    sources: Iterable[Source],
    cores: int,
) -> Iterator[Result]:
    """Yield what came of each piece, never many of them under way."""
    under_way: set[Future[Result]] = set()
    for some in _pieces(sources, TOGETHER if cores > 1 else 1):
        under_way.add(workers.submit(compare_some, job, some))
        if len(under_way) > 2 * cores:
            over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in over)
    while under_way:
        over, under_way = wait(under_way, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in over)


def _pieces(items: Iterable[ItemT], size: int) -> Iterator[list[ItemT]]:
    """Yield *items* in lists of at most *size*."""
    going = iter(items)
    while piece := list(islice(going, size)):
        yield piece
