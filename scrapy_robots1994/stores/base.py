"""The contract of a store, for classes of your own.

A store keeps one entry for each origin: some bytes, which it need not understand. Name your
class by its import path, and add what it needs as a URL::

    ROBOTS1994_STORE = "mypackage.stores.FolderStore:///var/lib/robots?timeout=5"

It needs the methods of `Store`, but no base class::

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

The methods are plain functions. A crawl calls `from_url` when it starts, and all others in
one thread, one after the other, so that they may block. They bound their own time: a call
that never returns keeps its crawl waiting. An exception of any class counts as a missing
entry: the crawl logs the first one, and leaves the store alone for 30 seconds.
"""

from typing import Final, Protocol

MAX_ENTRY_BYTES: Final = 2**24
"""Longer entries are neither written nor read."""


class Store(Protocol):
    """What every store can do. An *origin* is a string such as `https://example.com:8443`."""

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> "Store":
        """Return the store at *url*, without opening files or connections.

        *url* is `ROBOTS1994_STORE` without the option `timeout`, the seconds that a call
        may take. Raise `ValueError` if *url* is wrong: the crawl then does not start.
        """

    def get(self, origin: str) -> bytes | None:
        """Return the entry that was put last for *origin*, or None.

        An entry of more than `MAX_ENTRY_BYTES` is None, and is not read whole.
        """

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        """Replace the entry of *origin*. It survives the process that put it.

        It may be deleted after *keep_until*, in seconds since the epoch (may be infinite).
        """

    def close(self) -> None:
        """Close files and connections, if any are open."""


class LeasingStore(Store, Protocol):
    """A store whose workers ask it who fetches a robots.txt, so that one of them does."""

    def lease(self, origin: str, seconds: float) -> bool:
        """Take the lease of *origin*, or return False if it is taken.

        It ends after *seconds*, if nobody releases it before.
        """

    def release(self, origin: str) -> None:
        """End the lease of *origin*. Only the worker that has it calls this."""
