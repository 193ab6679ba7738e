"""A store that a test can make fail or hang."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator

from typing_extensions import Self

from scrapy_robots1994 import Origin
from scrapy_robots1994.stores.base import Lease, SharedStore, Stored


class FakeStore(SharedStore):
    """A store in memory that several guarded stores can share."""

    def __init__(self) -> None:
        self.entries_by_origin: dict[Origin, bytes] = {}
        self.leases: dict[Origin, str] = {}
        self.error: BaseException | None = None
        self.resume = threading.Event()
        self.resume.set()
        self.calls: list[str] = []
        self.called: defaultdict[tuple[str, int], threading.Event]
        self.called = defaultdict(threading.Event)
        self.threads: set[threading.Thread] = set()
        self._lock = threading.Lock()

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Raise an error, because no test calls this method."""
        raise NotImplementedError

    def hang(self) -> None:
        """Block every call to the store until the event `resume` is set."""
        self.resume.clear()

    def wait_for(self, call: str, number: int = 1) -> None:
        """Wait until *call* has been made *number* times."""
        with self._lock:
            event = self.called[call, number]
        assert event.wait(20)

    def _record(self, call: str) -> None:
        """Record *call*, and wait while the store hangs. Then raise `error`, unless `error`
        is None.
        """
        with self._lock:
            self.calls.append(call)
            self.threads.add(threading.current_thread())
            self.called[call, self.calls.count(call)].set()
        assert self.resume.wait(60)
        if self.error is not None:
            raise self.error

    def get(self, origin: Origin) -> bytes | None:
        """Return the entry of *origin*, or `None`."""
        self._record("get")
        return self.entries_by_origin.get(origin)

    def put(self, stored: Stored) -> None:
        """Store the entry."""
        self._record("put")
        self.entries_by_origin[stored.origin] = stored.packed

    def forget(self, origin: Origin) -> bool:
        """Delete the entry of the origin, and return whether the entry existed."""
        self._record("forget")
        return self.entries_by_origin.pop(origin, None) is not None

    def entries(self) -> Iterator[Stored]:
        """Yield all entries."""
        for origin, packed in self.entries_by_origin.items():
            yield Stored(origin, packed, 1e6)

    def close(self) -> None:
        """Record the call."""
        self._record("close")

    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Grant the lease, unless another holder has the lease."""
        self._record("acquire_lease")
        return Lease(self.leases.setdefault(origin, holder) == holder)

    def release_lease(self, origin: Origin, holder: str) -> None:
        """Release the lease if *holder* has the lease."""
        self._record("release_lease")
        if self.leases.get(origin) == holder:
            del self.leases[origin]
