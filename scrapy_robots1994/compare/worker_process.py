"""Calls in a process of its own, which a deadline ends whatever code it runs.

A thread cannot be ended, and a regular expression keeps the interpreter to itself: the
parsers of others run here.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

START_SECONDS = 60.0
"""Seconds in which the process must be ready."""

_CHILD = f"from {__name__} import serve; serve()"


class DeadlineExceeded(Exception):  # noqa: N818 - the standard name of the situation
    """A call took too long, and its process was killed."""


class WorkerDied(Exception):  # noqa: N818 - see above
    """The process ended during a call, or cannot be started."""


class WorkerProcess:
    """An object in another process, made there by *make* at the first call.

    `call` raises what the method raises. After `DeadlineExceeded` or `WorkerDied` the
    next call starts a new process. `close` may be called in any thread, and ends a call
    that is under way.
    """

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._closed = Event()

    def call(self, seconds: float, method: str, *args: Any) -> Any:
        """Return what *method* of the object returns within *seconds*."""
        with self._lock:
            process = self._process or self._start()
            return self._exchange(process, seconds, (seconds, method, args))

    def close(self) -> None:
        """Kill the process; no other one starts."""
        self._closed.set()
        process = self._process
        if process is not None:
            process.kill()
            # Else the call that is under way sees the end of its process.
            if self._lock.acquire(blocking=False):
                self._discard(process)
                self._lock.release()

    def _start(self) -> subprocess.Popen[bytes]:
        """Start the process and wait until it is ready."""
        if self._closed.is_set():
            raise WorkerDied("closed")
        # Not multiprocessing: its processes run the main script again, and most scripts
        # that start a crawl are not written for that.
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            # Ctrl-C is for this process to handle.
            start_new_session=True,
        )
        # For `close` in another thread.
        self._process = process
        if self._closed.is_set():
            process.kill()
        try:
            self._exchange(process, START_SECONDS, self._make)
        except BaseException:
            self._discard(process)
            raise
        return process

    def _exchange(
        self, process: subprocess.Popen[bytes], seconds: float, message: object
    ) -> Any:
        """Send *message* and return the answer; kill the process after *seconds*."""
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101 - as above
        expired: list[bool] = []

        def expire() -> None:
            expired.append(True)
            process.kill()

        timer = Timer(seconds, expire)
        timer.daemon = True
        timer.start()
        try:
            pickle.dump(message, process.stdin)
            process.stdin.flush()
            is_error, value = pickle.load(process.stdout)  # noqa: S301 - of our child
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            self._discard(process)
            if expired or process.returncode == -_BACKSTOP:
                raise DeadlineExceeded from error
            raise WorkerDied(f"exit code {process.returncode}") from error
        except BaseException:
            # Ctrl-C: half a message may have been exchanged.
            self._discard(process)
            raise
        finally:
            timer.cancel()
        if expired:
            self._discard(process)
        if is_error:
            raise value
        return value

    def _discard(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the end of a process that is not used any more."""
        self._process = None
        process.kill()
        # What could not be sent to it any more is lost.
        with suppress(OSError), process:
            pass
        process.wait()


# POSIX alone: ends a process that computes for longer than its parent allowed, also
# where the parent has died and cannot kill it.
_BACKSTOP = getattr(signal, "SIGVTALRM", 0)


def serve() -> None:
    """Answer the calls of the parent until it closes the pipe."""
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a parser prints must not get between the answers.
    os.dup2(2, 1)
    # Some log about each file they parse, and most files here are transformed ones.
    logging.disable(logging.CRITICAL)
    try:
        target = pickle.load(calls)()  # noqa: S301 - of our parent
    except Exception as error:  # noqa: BLE001 - raised in the parent
        _send(answers, error, is_error=True)
        return
    _send(answers, None)
    while True:
        try:
            seconds, method, args = pickle.load(calls)  # noqa: S301 - as above
        except EOFError:
            return
        if _BACKSTOP:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds + 1)
        try:
            _send(answers, getattr(target, method)(*args))
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
