"""A store that cannot harm the crawl: in time, whatever it does, and one fetch for all.

One worker fetches each policy, and the others wait for it. What happens in the store
happens in a thread (`worker`), which is abandoned if a call does not return in time.
"""

import math
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import Policy
from scrapy_robots1994.stores import worker
from scrapy_robots1994.stores.leases import PolicyThread

MAX_ABANDONED: Final = 3
"""Threads whose call never returned, after which no further one is started."""


@dataclass(eq=False)
class GuardedStore:
    """The store of *breaker* with a time limit, in threads that *new_thread* makes.

    What a method returns can be awaited: *wait* makes it of a future. It gives `None`
    if the store fails, and never an exception. *call_later* calls a function after
    some seconds, in the thread of the caller.
    """

    breaker: worker.CircuitBreaker
    new_thread: Callable[[], PolicyThread]
    wait: Callable[[Future[Any]], Awaitable[Any]]
    call_later: Callable[[float, Callable[[], None]], object]
    _thread: PolicyThread | None = None
    _abandoned: list[PolicyThread] = field(default_factory=list)
    _may_start_at: float = 0.0
    _close_by: float = math.inf
    _is_checking: bool = False

    def get(self, origin: Origin) -> Awaitable[Policy | None]:
        """Return the stored policy of *origin*, fresh or stale."""
        return self._submit(PolicyThread.get, origin)

    def acquire_lease(self, origin: Origin) -> Awaitable[Policy | None]:
        """Wait until this process may fetch *origin*, or another one has fetched it."""
        return self._submit(PolicyThread.acquire, origin)

    def release_lease(
        self, origin: Origin, policy: Policy | None, *, aborted: bool = False
    ) -> None:
        """Store the *policy* that our fetch made, and end our lease, if there is one.

        If the fetch was *aborted*, the next worker takes it over. If it ended without
        a policy that may be shared, all workers that wait fetch at once, in parallel.
        """
        if thread := self._running():
            thread.submit(thread.release, origin, policy, aborted)

    def close(self) -> Awaitable[None]:
        """Store what was released before, then close the store, in its time limit."""
        closed = self._submit(PolicyThread.close)
        self._close_by = time.monotonic() + self.breaker.url.timeout
        return closed

    def check_time(self) -> None:
        """Abandon the thread if a call of the store has run into the time limit.

        Check again when the limit of the running call ends, while any future is pending.
        """
        thread, now = self._thread, time.monotonic()
        self._is_checking = False
        if thread is None or not thread.pending:
            return
        # Time in our own queue is not the store's.
        _, began = thread.running or (None, now)
        deadline = min(began + self.breaker.url.timeout, self._close_by)
        if now < deadline:
            self._is_checking = True
            self.call_later(deadline - now, self.check_time)
        else:
            self._abandon(thread)

    def _submit(self, method: Callable[..., None], *args: object) -> Awaitable[Any]:
        """Call *method* in the thread of the store with a future, and wait for this."""
        if thread := self._running():
            future = thread.request(method, thread, *args)
            if not self._is_checking:
                self.check_time()
        else:
            future = Future()
            future.set_result(None)
        return self.wait(future)

    def _running(self) -> PolicyThread | None:
        """Return the thread, a new one if need be; `None` if there may be none."""
        if self._close_by < math.inf:
            return None
        if self._thread is None and time.monotonic() >= self._may_start_at:
            # A call that returned late has ended its thread.
            self._abandoned = [each for each in self._abandoned if each.is_alive()]
            if len(self._abandoned) < MAX_ABANDONED:
                self._start()
        return self._thread

    def _start(self) -> None:
        """Start a thread, or let the store rest if this process may have no more."""
        thread = self.new_thread()
        try:
            thread.start()
        except RuntimeError as error:
            self.breaker.failed("read", error)
            self._may_start_at = time.monotonic() + worker.REST_SECONDS
        else:
            self._thread = thread

    def _abandon(self, thread: PolicyThread) -> None:
        """Leave the thread to itself. It ends when its call returns, if ever."""
        thread.is_abandoned = True
        running, self._thread = thread.running, None
        self._abandoned.append(thread)
        error = StoreError(f"no answer within {self.breaker.url.timeout:g} seconds")
        self.breaker.failed(running[0] if running else "close", error)
        # A new thread would be abandoned, too: most stores hang for a while.
        self._may_start_at = time.monotonic() + worker.REST_SECONDS
        thread.end_waits()
