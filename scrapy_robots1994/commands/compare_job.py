"""A comparison job: many files, compared by the workers of an executor.

The workers are threads here or processes of a dask cluster. Each leaves the parsers to a
process of its own (`GuardedComparer`), which a deadline or Ctrl-C can end.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from itertools import islice
from threading import Event, get_ident
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from scrapy_robots1994.commands.compare_inputs import NOWHERE, origin_of
from scrapy_robots1994.commands.terminal import interruptible
from scrapy_robots1994.compare.comparer import Comparison
from scrapy_robots1994.compare.impact import SiteImpact, Totals
from scrapy_robots1994.compare.parsers import Capture, Question
from scrapy_robots1994.compare.questions import questions
from scrapy_robots1994.crawl.features.guarded_comparer import GuardedComparer
from scrapy_robots1994.crawl.features.peers import make_comparer
from scrapy_robots1994.errors import MissingExtra
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

ItemT = TypeVar("ItemT")

BATCH = 8
"""Files of one task; two tasks for each worker wait in memory."""


class Executor(Protocol):
    """What is used of an executor of `concurrent.futures`, or of a dask cluster."""

    def submit(self, work: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Run *work* with *args* in a worker."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to compare, as plain values that travel to a worker.

    *parsers* are classes, paths or names in `scrapy.robotstxt`, *names* what they are
    called. *settings* are those of the project, pickled. *urls* take the place of
    questions made from the files.
    """

    parsers: tuple[str, ...]
    names: tuple[str, ...]
    settings: bytes
    dialect: str
    reading: str
    max_bytes: int
    robots: tuple[str, ...]
    urls: tuple[str, ...] | None
    max_questions: int
    seconds: int


@dataclass(slots=True)
class Result:
    """What came of some files, also of a job that was interrupted half way.

    *stuck* has the parser and the file of each comparison that took too long.
    """

    totals: Totals = field(default_factory=Totals)
    stuck: list[tuple[str, str]] = field(default_factory=list)
    is_interrupted: bool = False

    def add(self, other: Result) -> None:
        """Add what *other* found."""
        self.totals.add(other.totals)
        self.stuck += other.stuck

    def interrupt(self) -> None:
        """Note that Ctrl-C ended the job."""
        self.is_interrupted = True


# The comparers of this process, one for each job and thread, and what got stuck there.
# A cluster passes its workers functions and values, and nothing that owns a process.
_guards: dict[tuple[Job, int], tuple[GuardedComparer, list[tuple[str, str]]]] = {}
_closed = Event()


def _guard_of(job: Job) -> tuple[GuardedComparer, list[tuple[str, str]]]:
    """Return the comparer of *job* in this thread, made at the first call."""
    key = job, get_ident()
    if key not in _guards:
        stuck: list[tuple[str, str]] = []
        guard = GuardedComparer(
            partial(make_comparer, job.parsers, job.settings, job.dialect, job.reading),
            job.names,
            on_stuck=lambda *found: stuck.append(found),
            seconds=job.seconds,
        )
        _guards[key] = guard, stuck
        if _closed.is_set():
            guard.close()
    return _guards[key]


def _close_guards() -> None:
    """End all processes, and the calls that wait for them."""
    _closed.set()
    for guard, _ in list(_guards.values()):
        guard.close()
    _guards.clear()


def compare_some(job: Job, captures: Sequence[Capture]) -> Result:
    """Compare all of *captures*."""
    guard, stuck = _guard_of(job)
    result = Result()
    for whole in captures:
        capture = _truncated(whole, job.max_bytes)
        task = Comparison(capture, tuple(_questions(job, capture)))
        result.totals.add_site(guard.compare(task))
    result.stuck = stuck[:]
    stuck.clear()
    return result


def explain_some(job: Job, sites: Sequence[SiteImpact]) -> list[SiteImpact]:
    """Explain the examples of all *sites*."""
    return list(map(_guard_of(job)[0].explain, sites))


def _truncated(capture: Capture, limit: int) -> Capture:
    """Return *capture* with the whole lines that are obeyed, for all parsers alike."""
    if len(capture.body) <= limit:
        return capture
    # Ours O24: the whole lines within the limit.
    body = capture.body[:limit]
    end = max(body.rfind(b"\n"), body.rfind(b"\r")) + 1
    return replace(capture, body=body[:end])


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


def run(
    job: Job,
    captures: Iterable[Capture],
    executor: Executor,
    workers: int,
    step: Callable[[], None],
) -> Result:
    """Compare all of *captures*; *step* is called after each.

    Ctrl-C ends it early, with what has been compared until then.
    """
    result = Result()
    _closed.clear()
    try:
        with interruptible(result.interrupt):
            compared = (partial(compare_some, job, some) for some in _batches(captures))
            for part in _completed(executor, compared, workers):
                result.add(part)
                for _ in range(part.totals.captures):
                    step()
            result.totals.trim()
            sites = result.totals.sites
            changed = [site for site in sites.values() if site.examples]
            explained = (partial(explain_some, job, some) for some in _batches(changed))
            for done in _completed(executor, explained, workers):
                sites.update({site.label: site for site in done})
    finally:
        _close_guards()
    return result


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
        done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


def _batches(items: Iterable[ItemT]) -> Iterator[list[ItemT]]:
    """Yield *items* in lists of at most `BATCH`."""
    remaining = iter(items)
    while batch := list(islice(remaining, BATCH)):
        yield batch


@contextmanager
def executor_for(
    scheduler: str | None, processes: int, count: int | None
) -> Iterator[tuple[Executor, int]]:
    """Yield what runs the work, and how many workers it has.

    With a *scheduler* those of its dask cluster; else a thread for each of *processes*.
    """
    if not scheduler:
        workers = min(processes, count or processes)
        pool = ThreadPoolExecutor(workers)
        try:
            yield pool, workers
        finally:
            pool.shutdown(cancel_futures=True)
        return
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        msg = (
            f"--scheduler needs {error.name}, which is not installed: "
            "pip install 'scrapy_robots1994[cluster]'"
        )
        raise MissingExtra(msg) from error
    with distributed.Client(scheduler, timeout=10) as client:
        threads = sum(client.nthreads().values())
        # More than one try: a worker may die, and others take its tasks over.
        yield client.get_executor(retries=3), max(threads, 1)
