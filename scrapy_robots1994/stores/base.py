"""The contract of stores that outlive a crawl. They store bytes and know no policies.

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

Methods are plain functions, not coroutines. The crawl makes the store and calls it in one
daemon thread, so methods may block, and no two of them run at once. A store in which one
call takes a second longer than the `timeout` of the store URL is not called again in that
crawl.

Raise `StoreError` with one sentence when something fails. Any other exception has the
same effect: the log reports it once, printable and without the credentials of the store
URL, the crawl continues without the store, and tries it again after two seconds.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scrapy_robots1994.origin import Origin

MAX_ENTRY_BYTES: Final = 2**24
"""No entry is larger. A larger one is not ours, and is not read."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The entry of *origin*: the bytes *packed*, useless after *keep_until*.

    *keep_until* is in seconds since the epoch.
    """

    origin: Origin
    packed: bytes
    keep_until: float


@dataclass(frozen=True, slots=True)
class Lease:
    """The answer of `SharedStore.acquire_lease`.

    *granted* is `True` if the lease is now the caller's. Otherwise another worker has it.
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
        of each call in seconds: a store that gives up by itself before it can say why.
        Raise `SettingsError` with a sentence that says what to write instead.
        """

    @property
    def exists(self) -> bool:
        """Whether there is a store to read; `False` where the first `put` makes it.

        `robots-store` says so. The default is for a store that is always there.
        """
        return True

    def check(self) -> None:  # noqa: B027 - nothing to check by default
        """Raise `SettingsError` where no crawl can use the store, and say what to do.

        Called when a crawl starts, for a folder that does not exist. Connect to nothing: a
        server that is away may come back. By default nothing is checked.
        """

    @abstractmethod
    def get(self, origin: Origin) -> bytes | None:
        """Return the bytes stored last for *origin*, or `None`.

        Return `None`, too, for an entry that is not `bytes` or is larger than
        `MAX_ENTRY_BYTES`, without reading it.
        """

    @abstractmethod
    def put(self, stored: Stored) -> None:
        """Store *stored* in place of the entry of its origin.

        Once this returns, the entry survives the death of this process.
        """

    @abstractmethod
    def forget(self, origin: Origin) -> bool:
        """Delete the entry of *origin*. Return whether there was one."""

    @abstractmethod
    def entries(self) -> Iterator[Stored]:
        """Yield all entries, in any order. The store may change meanwhile."""

    @abstractmethod
    def close(self) -> None:
        """Close connections and files and end threads, also if nothing was opened."""


class SharedStore(PolicyStore):
    """A store in which workers also agree on who fetches, by leases that run out.

    A worker that waits for a lease looks again about once a second.
    """

    @abstractmethod
    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Let *holder* alone fetch *origin* for *seconds* from now.

        A lease is granted to the worker that has it already, too: its time begins anew.
        A lease that ends too early costs a second fetch, and nothing else.
        """

    @abstractmethod
    def release_lease(self, origin: Origin, holder: str) -> None:
        """End the lease of *origin* if *holder* has it."""
