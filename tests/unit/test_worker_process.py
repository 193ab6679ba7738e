"""A parser in a worker process that hangs or crashes does not stop the comparison."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from threading import Thread
from types import ModuleType

import pytest

from scrapy_robots1994.crawl.features.peers import (
    DeadlineExceeded,
    Unavailable,
    WorkerDied,
    WorkerProcess,
)


class Working:
    """Methods that tests call in the worker process."""

    def pid(self) -> int:
        """Return the id of the process."""
        print("noise that must not get between the answers")  # noqa: T201 - the claim
        return os.getpid()

    def hang(self) -> None:
        """Compute for ever without releasing the GIL."""
        sum(iter(int, 1))

    def sleep(self) -> None:
        """Wait for ever without computing."""
        time.sleep(3600)

    def crash(self) -> None:
        """End the process like a fault in an extension module."""
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    """Yield a worker that is closed after the test."""
    made = WorkerProcess(Working)
    yield made
    made.close()


@pytest.mark.parametrize("method", ["hang", "sleep"])
def test_process_is_replaced_after_a_call_past_its_deadline(
    worker: WorkerProcess, method: str
) -> None:
    """It does not matter whether the call computes or waits."""
    before = worker.call(60, "pid")

    with pytest.raises(DeadlineExceeded):
        worker.call(0.2, method)

    assert worker.call(60, "pid") != before


def test_process_that_dies_is_reported_and_replaced(worker: WorkerProcess) -> None:
    """The broken pipe raises `WorkerDied`."""
    with pytest.raises(WorkerDied):
        worker.call(60, "crash")

    assert worker.call(60, "pid") != os.getpid()


def test_class_that_the_worker_cannot_import_is_reported() -> None:
    """A class in the file that `scrapy runspider` runs is an example."""
    module = ModuleType("of_no_path")
    made = type("Made", (), {"__module__": module.__name__})
    module.Made = made  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    worker = WorkerProcess(made)

    with pytest.raises(Unavailable, match="No module named 'of_no_path'"):
        worker.call(60, "pid")

    del sys.modules[module.__name__]


def test_closing_ends_a_call_of_another_thread(worker: WorkerProcess) -> None:
    """The call raises `WorkerDied`, as after Ctrl-C, and no new process is started."""
    worker.call(60, "pid")
    caught: list[Exception] = []

    def wait() -> None:
        try:
            worker.call(3600, "sleep")
        except WorkerDied as error:
            caught.append(error)

    thread = Thread(target=wait)
    thread.start()
    worker.close()
    thread.join(60)

    assert not thread.is_alive()
    assert caught
    with pytest.raises(WorkerDied):
        worker.call(60, "pid")


def test_worker_ends_if_its_parent_is_killed() -> None:
    """It may be in an endless computation."""
    code = (
        "from tests.unit.test_worker_process import *\n"
        "worker = WorkerProcess(Working)\n"
        "print(worker.call(60, 'pid'), flush=True)\n"
        "worker.call(1, 'hang') if worker else None\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    with parent:
        child = int(parent.stdout.readline())
        parent.kill()

    for _ in range(600):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("the worker is still there")
