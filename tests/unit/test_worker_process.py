"""The worker process of a parser: it may crash, and ends with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from scrapy_robots1994.crawl.features.peers import (
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

    def crash(self) -> None:
        """End the process like a fault in an extension module."""
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    """Yield a worker that is closed after the test."""
    made = WorkerProcess(Working)
    yield made
    made.close()


def test_process_that_dies_is_reported_and_replaced(worker: WorkerProcess) -> None:
    """The broken pipe raises `WorkerDied`."""
    with pytest.raises(WorkerDied):
        worker.call(60, "crash")

    assert worker.call(60, "pid") != os.getpid()


def test_class_that_the_worker_cannot_import_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A class in the file that `scrapy runspider` runs is an example."""
    made = type("Made", (), {"__module__": "of_no_path"})
    monkeypatch.setitem(sys.modules, "of_no_path", SimpleNamespace(Made=made))

    with pytest.raises(Unavailable, match="No module named 'of_no_path'"):
        WorkerProcess(made).call(60, "pid")


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
