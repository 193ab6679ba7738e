"""Executors of a comparison: threads here, or the workers of a dask cluster."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from scrapy_robots1994.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future


class Executor(Protocol):
    """What is used of an executor of `concurrent.futures`, or of a dask cluster."""

    def submit(self, work: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Run *work* with *args* in a worker."""


@contextmanager
def executor_for(
    scheduler: str | None, processes: int, count: int | None
) -> Iterator[tuple[Executor, int]]:
    """Yield what runs the work, and how many workers it has."""
    if scheduler:
        with _cluster(scheduler) as (executor, workers):
            yield executor, workers
        return
    workers = min(processes, count or processes)
    # Each thread waits for a process of its own.
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool, workers
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield the executor of a dask cluster, and its number of threads."""
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        msg = (
            f"--scheduler needs {error.name}, which is not installed: "
            "pip install 'scrapy_robots1994[cluster]'"
        )
        raise MissingExtra(msg) from error
    with distributed.Client(address, timeout=10) as client:
        threads = sum(client.nthreads().values())
        # More than one try: a worker may die, and others take its tasks over.
        yield client.get_executor(retries=3), max(threads, 1)
