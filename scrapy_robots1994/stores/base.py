"""The contract of stores that outlive a crawl. A store saves bytes; only the crawl decodes
these bytes to policies.

Subclass `PolicyStore`, or `SharedStore` if several machines use the store at once, and
name the class by its import path::

    ROBOTS1994_STORE = "mypackage.stores.FolderStore:///var/lib/robots?timeout=5"

A minimal store implements five methods and `from_url`::

    class FolderStore(PolicyStore):
        def __init__(self, folder):
            self.folder = Path(folder)

        @classmethod
        def from_url(cls, url, *, timeout):
            return cls(url.partition("://")[2])

        def get(self, origin):
            path = self.folder / quote(str(origin), safe="")
            return path.read_bytes() if path.exists() else None

        ...

Methods are plain functions, not coroutines. A crawl creates the store and calls it in one
daemon thread. So methods may block, and only one method runs at a time. Only `from_url`
and `check` also run in the main thread when a crawl starts. A call may take one second
longer than the `timeout` of the store URL. After a longer call, the store is not called
again in that crawl.

If something fails, raise `StoreError` with a message of one sentence. Any other exception
has the same effect as `StoreError`. The first failure of a crawl is logged as a warning,
safe to print and without the credentials of the store URL. After a failure the crawl
continues as if the store had no entry. After a failed read, the crawl does not call the
store for two seconds.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scrapy_robots1994.origin import Origin

MAX_ENTRY_BYTES: Final = 2**24
"""Largest size of an entry, in bytes. A larger entry is not from this package, and is
never read.
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """The entry of *origin*: the bytes *packed*, which are not used after *keep_until*.

    *keep_until* is in seconds since the epoch.
    """

    origin: Origin
    packed: bytes
    keep_until: float


@dataclass(frozen=True, slots=True)
class Lease:
    """The result of `SharedStore.acquire_lease`.

    *granted* is `True` if the caller now has the lease. Otherwise another worker has the
    lease.
    """

    granted: bool


class PolicyStore(ABC):
    """Stores one entry for each origin, beyond the life of a process.

    Entries past their `keep_until` may be deleted at any time.
    """

    @classmethod
    @abstractmethod
    def from_url(cls, url: str, *, timeout: float) -> "PolicyStore":
        """Return the store that *url* names. Open nothing yet.

        *url* is the value of `ROBOTS1994_STORE` without the options that belong to the
        crawl (`timeout`, `in_memory`, `in_memory_bytes`). *timeout* is the time limit
        of each call, in seconds. A store that gives up before this limit can report the
        reason. For a wrong URL, raise `SettingsError` with a message that says what to
        write instead.
        """

    @property
    def exists(self) -> bool:
        """Whether the store exists; `False` if the first `put` will create the store.

        `robots-store` reports a missing store. By default the store always exists.
        """
        return True

    def check(self) -> None:  # noqa: B027 - nothing to check by default
        """Raise `SettingsError` if no crawl can use the store, for example because its
        folder does not exist.

        The message says what to do. This method is called when a crawl starts. Do not
        connect to a server here, because the server may be down only for a short time.
        By default nothing is checked.
        """

    @abstractmethod
    def get(self, origin: Origin) -> bytes | None:
        """Return the bytes that were last stored for *origin*, or `None`.

        Also return `None` for an entry that is not `bytes`. Return `None` without reading
        the entry if the entry is larger than `MAX_ENTRY_BYTES`.
        """

    @abstractmethod
    def put(self, stored: Stored) -> None:
        """Store *stored*, and replace any older entry of its origin.

        After this method returns, the entry must survive if the process is killed.
        """

    @abstractmethod
    def forget(self, origin: Origin) -> bool:
        """Delete the entry of *origin*. Return whether the store had an entry."""

    @abstractmethod
    def entries(self) -> Iterator[Stored]:
        """Yield all entries, in any order. The store may change during the iteration."""

    @abstractmethod
    def close(self) -> None:
        """Close connections and files, and end threads.

        The crawl may also call this method if the store has opened nothing.
        """


class SharedStore(PolicyStore):
    """A store with leases: the worker that has the lease of an origin fetches its policy.

    A lease expires by itself. A worker that waits for a lease tries to acquire the lease
    about once a second.
    """

    @abstractmethod
    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Try to acquire the lease of *origin* for *holder*, for *seconds* from now.

        If *holder* already has the lease, grant the lease again, for *seconds* from now.
        A lease that ends too early only causes a second fetch.
        """

    @abstractmethod
    def release_lease(self, origin: Origin, holder: str) -> None:
        """Release the lease of *origin* if *holder* has the lease."""
