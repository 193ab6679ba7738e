"""The contract for persistent stores. A store saves policies as bytes, and does not need
to decode them.

Subclass `PolicyStore`, or `SharedStore` if several machines use the store at once. Set
`ROBOTS1994_STORE` to a URL that starts with the import path of the store class::

    ROBOTS1994_STORE = "mypackage.stores.FolderStore:///var/lib/robots?timeout=5"

A minimal store implements `from_url` and five more methods::

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

The methods of a store are plain functions, not coroutines. A crawl creates the store and
calls its methods in one daemon thread. A method can block without blocking the crawl, and
only one method runs at a time. The methods `from_url` and `check` also run in the main
thread when a crawl starts. A call may take up to one second longer than the `timeout` of
the store URL. After a call that exceeds the `timeout` by more than one second, the crawl
does not call the store again.

A method that fails should raise `StoreError` with a message of one sentence. Any
exception that is not a `StoreError` has the same effect as a `StoreError`. The first
failure in a crawl is logged as a warning. The warning is safe to print and does not
contain the credentials of the store URL. After a failure, the crawl continues as if the
store had no entry. After a failed read, the crawl does not call the store for two
seconds.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scrapy_robots1994.origin import Origin

MAX_ENTRY_BYTES: Final = 2**24
"""Maximum size of an entry in bytes. This package never writes or reads an entry that
exceeds the maximum.
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """The entry of *origin*.

    *packed* contains the bytes of the entry. The entry is not used after the time
    *keep_until*, which is in seconds since the epoch.
    """

    origin: Origin
    packed: bytes
    keep_until: float


@dataclass(frozen=True, slots=True)
class Lease:
    """The result of `SharedStore.acquire_lease`.

    *granted* is `True` if the caller now has the lease, and `False` if another worker has
    the lease.
    """

    granted: bool


class PolicyStore(ABC):
    """Stores one entry for each origin. Entries persist after the process ends.

    When the `keep_until` of an entry has passed, the store may delete the entry.
    """

    @classmethod
    @abstractmethod
    def from_url(cls, url: str, *, timeout: float) -> "PolicyStore":
        """Return the store at *url*. Do not open files or connections yet.

        *url* is the value of `ROBOTS1994_STORE` without the options that the crawl reads
        (`timeout`, `in_memory`, `in_memory_bytes`). *timeout* is the time limit of each
        call, in seconds. A call that cannot be completed in time should fail before the
        time limit, so that the store can report the reason. If *url* is wrong, raise
        `SettingsError` with a message that says what to write instead.
        """

    @property
    def exists(self) -> bool:
        """Whether the store exists. The property is `False` if the first `put` will
        create the store.

        The command `robots-store` uses this property to report that a store is missing. By
        default, `exists` is `True`.
        """
        return True

    def check(self) -> None:  # noqa: B027 - nothing to check by default
        """Raise `SettingsError` if no crawl can use the store, for example because the
        folder of the store does not exist.

        The message of the exception says what to do. A crawl calls this method at its
        start. The method must not connect to a server, because a server might be down for
        only a short time. By default, `check` does nothing.
        """

    @abstractmethod
    def get(self, origin: Origin) -> bytes | None:
        """Return the bytes that were last stored for *origin*. Return `None` if the store
        does not contain an entry for *origin*.

        Return `None` if the stored value is not binary. If the entry is larger than
        `MAX_ENTRY_BYTES`, return `None` without reading the whole entry.
        """

    @abstractmethod
    def put(self, stored: Stored) -> None:
        """Store *stored*, and replace any older entry of its origin.

        When this method has returned, the entry must persist even if the process is killed.
        """

    @abstractmethod
    def forget(self, origin: Origin) -> bool:
        """Delete the entry of *origin*, and return whether it existed."""

    @abstractmethod
    def entries(self) -> Iterator[Stored]:
        """Yield all entries in any order. Other processes can change the store during the
        iteration.
        """

    @abstractmethod
    def close(self) -> None:
        """Close connections and files, and end threads.

        The crawl can call this method even if the store has not opened anything.
        """


class SharedStore(PolicyStore):
    """A store with leases. The worker that has the lease of an origin fetches the policy of
    that origin.

    A lease that is not released expires. A worker that waits for a lease tries to acquire
    it about once a second.
    """

    @abstractmethod
    def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
        """Try to acquire the lease of *origin* for *holder*. The lease expires after
        *seconds*.

        If *holder* already has the lease, grant it again for *seconds* from now. A lease
        that expires too early only causes a second fetch.
        """

    @abstractmethod
    def release_lease(self, origin: Origin, holder: str) -> None:
        """Release the lease of *origin* if *holder* has it."""
