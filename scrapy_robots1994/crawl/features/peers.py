"""Peers: other parsers, in a process of their own, which a deadline ends whatever they do.

A thread cannot be ended, and a regular expression keeps the interpreter to itself.
"""

import logging
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Event, Lock, Timer
from typing import Any, BinaryIO, Final

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings, Settings

from scrapy_robots1994.compare.comparer import Comparer, Comparison
from scrapy_robots1994.compare.diagnosis import Cause
from scrapy_robots1994.compare.impact import Example, SiteImpact
from scrapy_robots1994.compare.parsers import Direction, Parser, raised
from scrapy_robots1994.crawl.parser import load_parser
from scrapy_robots1994.crawl.scrapy_private import class_path
from scrapy_robots1994.errors import RobotsError, SettingsError, needs_extra

START_SECONDS: Final = 60.0  # in which the process must be ready

# POSIX alone: ends a process that computes too long, also if its parent has died.
_BACKSTOP = getattr(signal, "SIGVTALRM", 0)


class WorkerDied(Exception):  # noqa: N818 - the standard name of the situation
    """The process ended during a call."""


class DeadlineExceeded(WorkerDied):
    """A call took too long, and its process was killed."""


class Unavailable(WorkerDied, RobotsError):  # noqa: N818 - as above
    """The process cannot be started, or was closed: no fault of what it was to call."""


class WorkerProcess:
    """An object in another process, made there by *make* at the first call.

    `call` raises what the method raises. After `WorkerDied` the next call starts a new
    process. `close` may be called in any thread, and ends a call that is under way.
    """

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._closed = Event()

    def call(self, seconds: float, method: str, *args: Any) -> Any:
        """Return what *method* of the object returns within *seconds*."""
        with self._lock:
            if self._process is None:
                self._start()
            # The process knows the deadline as well: see `_BACKSTOP`.
            return self._exchange(seconds, (seconds, method, args))

    def close(self) -> None:
        """Kill the process; no other one starts."""
        self._closed.set()
        if process := self._process:
            process.kill()
            # Else the call that is under way sees the end of its process.
            if self._lock.acquire(blocking=False):
                self._discard(process)
                self._lock.release()

    def _start(self) -> None:
        """Start the process and wait until it is ready."""
        if self._closed.is_set():
            raise Unavailable("closed")
        try:
            # Not multiprocessing: its processes run the main script again, and most
            # scripts that start a crawl are not written for that.
            process = self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                [sys.executable, "-c", f"from {__name__} import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                # Ctrl-C is for this process to handle.
                start_new_session=True,
            )
            # Another thread may have called `close` before it could see the process.
            if self._closed.is_set():
                process.kill()
            self._exchange(START_SECONDS, pickle.dumps(self._make))
        except Exception as error:
            if self._process is not None:
                self._discard(self._process)
            raise Unavailable(f"their process cannot be started: {error!r}") from error

    def _exchange(self, seconds: float, message: object) -> Any:
        """Send *message* and return the answer; kill the process after *seconds*."""
        process: Any = self._process
        deadline, timer = time.monotonic() + seconds, Timer(seconds, process.kill)
        timer.daemon = True
        try:
            timer.start()
            pickle.dump(message, process.stdin)
            process.stdin.flush()
            is_error, value = pickle.load(process.stdout)  # noqa: S301 - of our child
        except BaseException as error:
            # Also after Ctrl-C: half a message may have been exchanged.
            self._discard(process)
            if not isinstance(error, (EOFError, OSError, pickle.UnpicklingError)):
                raise
            if time.monotonic() >= deadline or process.returncode == -_BACKSTOP:
                raise DeadlineExceeded from error
            kind = Unavailable if self._closed.is_set() else WorkerDied
            raise kind(f"exit code {process.returncode}") from error
        finally:
            timer.cancel()
        if time.monotonic() >= deadline:
            self._discard(process)  # killed, or about to be
        if is_error:
            raise value
        return value

    def _discard(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the end of a process that is not used any more."""
        self._process = None
        process.kill()
        # Closes its pipes and waits. What could not be sent to it any more is lost.
        with suppress(OSError), process:
            pass


def serve() -> None:
    """Answer the calls of the parent until it closes the pipe."""
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a parser prints must not get between the answers.
    os.dup2(2, 1)
    # Some log about each file they parse, and most files here are transformed ones.
    logging.disable(logging.CRITICAL)
    target: Any = None
    with suppress(EOFError):
        while True:
            # First what makes the object, then calls of its methods.
            message = pickle.load(calls)  # noqa: S301 - of our parent
            try:
                value = None
                if target is None:
                    target = pickle.loads(message)()  # noqa: S301 - as above
                else:
                    seconds, method, args = message
                    if _BACKSTOP:
                        signal.setitimer(signal.ITIMER_VIRTUAL, seconds + 1)
                    value = getattr(target, method)(*args)
                _send(answers, value)
            except Exception as error:  # noqa: BLE001 - raised in the parent
                _send(answers, error, is_error=True)


def _send(answers: BinaryIO, value: object, *, is_error: bool = False) -> None:
    """Send *value*; an exception that cannot travel is sent as its text."""
    try:
        message = pickle.dumps((is_error, value))
        if is_error:
            # Some exceptions can be written and not read.
            pickle.loads(message)  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - an exception may be of any kind
        message = pickle.dumps((True, RuntimeError(repr(value))))
    answers.write(message)
    answers.flush()


class GuardedComparer:
    """A `Comparer` in a process of its own, with a deadline for each parser and file.

    A parser that does not answer in time, or that brings its process down, counts as
    having raised `Timeout` or `WorkerDied`; so it does later about the same file, and is
    *stuck* in the first impact. Call it from one thread at a time.
    """

    def __init__(
        self, make: Callable[[], Comparer], names: tuple[str, ...], seconds: float
    ) -> None:
        self.names = names
        self._worker = WorkerProcess(make)
        self.close = self._worker.close
        """End the process, whatever it does, and a call that waits for it."""
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
        here = name, task.capture.label
        if here in self._stuck:
            return _raised(name, task, self._stuck[here])
        try:
            site: SiteImpact = self._worker.call(self._seconds, "compare", name, task)
        except Unavailable:
            raise
        except WorkerDied as error:
            is_late = isinstance(error, DeadlineExceeded)
            if is_late and task.diagnose:
                # The search for causes may have taken the time, not the answers.
                return self._undiagnosed(name, task)
            self._stuck[here] = "Timeout" if is_late else "WorkerDied"
            site = _raised(name, task, self._stuck[here])
            site.stuck.append(here)
        return site

    def _undiagnosed(self, name: str, task: Comparison) -> SiteImpact:
        """Return the same, without a search for causes."""
        site = self._compare(name, replace(task, diagnose=False))
        if not site.causes:
            for (_, way), number in site.counts.items():
                if way is not Direction.AGREE:
                    site.causes[name, way, Cause.TIMEOUT] = number
        return site

    def explain(self, site: SiteImpact) -> SiteImpact:
        """Return *site* with its examples explained, as far as there is time."""
        for name in self.names:
            if (name, site.label) not in self._stuck:
                with suppress(WorkerDied):
                    found = self._worker.call(self._seconds, "explain", name, site)
                    site.examples.update(found)
        return site


def _raised(name: str, task: Comparison, how: str) -> SiteImpact:
    """Return the impact of a parser that raised *how* at every question."""
    site = SiteImpact.of(task.capture)
    site.counts[name, Direction.RAISED] = len(task.questions)
    site.causes[name, Direction.RAISED, Cause.OTHER] = len(task.questions)
    for question in task.questions:
        example = Example(question, raised(how), Cause.OTHER)
        site.keep((name, Direction.RAISED), example, task.capture)
    return site


def peers(
    wanted: Iterable[str | type], crawler: Crawler, setting: str = "ROBOTS1994_COMPARE"
) -> list[Parser]:
    """Return the parsers that *wanted* of *setting* names, each once.

    Raise `SettingsError` for anything that is not a parser, and `MissingExtra` for a
    parser whose library is not installed.
    """
    found = []
    kinds = (load_parser(path, crawler.settings, setting) for path in wanted)
    for kind in dict.fromkeys(kinds):
        if kind.__module__ == "__main__":
            why = "another process must import it: move it from the script to a module"
            raise SettingsError(f"the parser {kind.__name__}: {why}")
        with needs_extra(kind.__name__, "report"):
            try:
                kind.from_crawler(crawler, b"")
            except ImportError:
                raise
            except Exception:  # noqa: BLE001, S110 - counted, as at any file
                pass
        found.append(Parser(kind.__name__, partial(kind.from_crawler, crawler)))
    return found


def portable(settings: BaseSettings) -> bytes:
    """Return *settings* pickled one by one, where that is possible, for `make_comparer`."""
    # Settings may hold anything, such as functions of the main script. Of a class its
    # path is sent: an error then names it, and no default takes its place.
    values = {}
    for name, value in settings.copy_to_dict().items():
        sent = class_path(value) if isinstance(value, type) else value
        with suppress(Exception):
            values[name] = pickle.dumps(sent)
    return pickle.dumps(values)


def make_comparer(
    wanted: Iterable[str | type], settings: bytes, dialect: str, reading: str
) -> Comparer:
    """Return the comparer of our parser and those *wanted*, in their process."""
    values = Settings()
    for name, packed in pickle.loads(settings).items():  # noqa: S301 - our parent's
        with suppress(Exception):
            values.set(name, pickle.loads(packed), "cmdline")  # noqa: S301 - as above
    others = peers(wanted, Crawler(Spider, values))
    return Comparer(others, dialect=dialect, reading=reading)
