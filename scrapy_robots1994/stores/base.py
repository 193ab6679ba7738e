"""The contract of stores that outlive a crawl. A store has bytes, and knows nothing of
policies.

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

Methods are plain functions, not coroutines. The crawl creates the store and calls it in
one daemon thread, so methods may block, and only one method runs at a time. If a call
takes a second longer than the `timeout` of the store URL, the store is not called again
in that crawl.

Raise `StoreError` with one sentence when something fails. Any other exception has the
same effect: the log reports it once, safe to print and without the credentials of the
store URL. The crawl continues without the store, and tries the store again after two
seconds.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scrapy_robots1994.origin import Origin

MAX_ENTRY_BYTES: Final = 2**24
"""Largest size of an entry, in bytes. A larger entry is not from this package, and is not
read.
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
    """The answer of `SharedStore.acquire_lease`.

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
        of each call in seconds: a store that gives up before that can report the reason.
        Raise `SettingsError` for a wrong URL, with a sentence that says what to write
        instead.
        """

    @property
    def exists(self) -> bool:
        """Whether there is a store to read; `False` if the first `put` will create it.

        `robots-store` reports a missing store. By default the store always exists.
        """
        return True

    def check(self) -> None:  # noqa: B027 - nothing to check by default
        """Raise `SettingsError`, which says what to do, if no crawl can use the store.

        Called when a crawl starts, for example to find a folder that does not exist. Do
        not connect to a server here, because the server may be down only for a while. By
        default nothing is checked.
        """

    @abstractmethod
    def get(self, origin: Origin) -> bytes | None:
        """Return the bytes that were last stored for *origin*, or `None`.

        Also return `None` for an entry that is not `bytes`, or that is larger than
        `MAX_ENTRY_BYTES`. Do not read a larger entry.
        """

    @abstractmethod
    def put(self, stored: Stored) -> None:
        """Store *stored* in place of the entry of its origin.

        Once this returns, the entry survives if the process is killed.
        """

    @abstractmethod
    def forget(self, origin: Origin) -> bool:
        """Delete the entry of *origin*. Return whether there was one."""

    @abstractmethod
    def entries(self) -> Iterator[Stored]:
        """Yield all entries, in any order. The store may change meanwhile."""

    @abstractmethod
    def close(self) -> None:
        """Close connections and files, and end threads. May be called if nothing was
        opened.
        """


class SharedStore(PolicyStore):
    """A store in which workers also agree on who fetches, by leases that run out.

    A worker that waits for a lease looks again about once a second.
    """

    @abstractmethod
    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Try to acquire the lease of *origin* for *holder*, for *seconds* from now.

        Also grant a lease that *holder* already has: its time starts again. A lease that
        ends too early only causes a second fetch.
        """

    @abstractmethod
    def release_lease(self, origin: Origin, holder: str) -> None:
        """Release the lease of *origin* if *holder* has the lease."""
