"""The interface of a store, for your own classes.

For each origin, a store keeps one entry, a `bytes` object. To use your class, write its import path
in place of the URL scheme::

    ROBOTS1994_STORE = "mypackage.stores.FolderStore:///var/lib/robots?timeout=5"

The class needs the methods of `Store`, but no base class::

    class FolderStore:
        def __init__(self, folder):
            self.folder = Path(folder)

        @classmethod
        def from_url(cls, url, *, timeout):
            return cls(url.partition("://")[2])

        def get(self, origin):
            path = self.folder / quote(origin, safe="")
            return path.read_bytes() if path.exists() else None

        ...

The methods must not be coroutines. A crawl calls `from_url` several times when it starts, and the
other methods in a thread, one at a time. The other methods may block, but not for ever, because
the crawl waits for them. If a call in the thread raises an exception, the entry counts as missing,
and the store is not used for the next 30 seconds. The first exception is logged as a warning.
"""

from typing import Final, Protocol

MAX_ENTRY_BYTES: Final = 2**24
"""Longer entries are neither written nor read."""


class Store(Protocol):
    """The methods of a store. An *origin* is a string such as `https://example.com:8443`."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> "Store":
        """Return the store at *url*, without opening files or connections.

        *url* is `ROBOTS1994_STORE` without its option `timeout`. Each later call should return
        within *timeout* seconds. Raise `ValueError` if *url* is invalid, so that the crawl does not
        start.
        """

    def get(self, origin: str) -> bytes | None:
        """Return the entry of *origin*, or None.

        Also return None for an entry longer than `MAX_ENTRY_BYTES`, without reading all of it.
        """

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        """Replace the entry of *origin*. The entry must outlive the process.

        The store may delete the entry after *keep_until*, in seconds since the epoch. An infinite
        *keep_until* means never.
        """

    def close(self) -> None:
        """Close files and connections, if any are open."""


class LeasingStore(Store, Protocol):
    """A store with leases, so that only one worker at a time fetches an origin's robots.txt."""

    def lease(self, origin: str, seconds: float) -> bool:
        """Take the lease of *origin* and return True, or return False if it is already taken.

        The lease ends after *seconds*, unless it is released earlier.
        """

    def release(self, origin: str) -> None:
        """End the lease of *origin*. Only its holder calls this."""
