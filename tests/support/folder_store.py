"""A store as a user would write it: each policy is a file in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from typing_extensions import Self

from scrapy_robots1994 import Origin, StoreError
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, PolicyStore, Stored

MAX_HEAD_BYTES = 2_000
"""The maximum size in bytes of a file's first line. A file whose first line exceeds
this size is not an entry.
"""


class FolderStore(PolicyStore):
    """A store of policies as files in a folder:
    `mypackage.stores.FolderStore:///path/of/folder`.

    The first line of a file is JSON with the origin and the expiry time of the entry. The
    rest of the file contains the bytes of the policy.
    """

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - files need no timeout
        """Return the store of the folder in *url*."""
        return cls(url.partition("://")[2])

    @property
    def exists(self) -> bool:
        """Whether the folder exists. The first `put` creates the folder."""
        return self.folder.is_dir()

    def file(self, origin: Origin) -> Path:
        """Return the file of *origin*.

        The file name is a hash, because an origin can be too long for a file name.
        """
        return self.folder / f"{sha256(str(origin).encode()).hexdigest()}.robots"

    def get(self, origin: Origin) -> bytes | None:
        """Return the stored bytes for *origin*, or `None`."""
        stored = self.read(self.file(origin))
        return stored.packed if stored and stored.origin == origin else None

    def put(self, stored: Stored) -> None:
        """Write a new file, and then replace the old file with the new file."""
        head = json.dumps([str(stored.origin), stored.keep_until]).encode()
        with store_errors():
            self.folder.mkdir(parents=True, exist_ok=True)
            # Several workers can write at once, so each worker writes its own new file. If
            # a worker is killed, its new file remains, and `entries` ignores this file.
            new = self.folder / f"{uuid4()}.new"
            new.write_bytes(head + b"\n" + stored.packed)
            new.replace(self.file(stored.origin))

    def forget(self, origin: Origin) -> bool:
        """Remove the file of *origin*, and return whether the file existed."""
        with store_errors():
            try:
                self.file(origin).unlink()
            except FileNotFoundError:
                return False
        return True

    def entries(self) -> Iterator[Stored]:
        """Yield the entry of every stored policy, except policies that are deleted during
        the iteration.
        """
        with store_errors():
            paths = list(self.folder.glob("*.robots"))
        for path in paths:
            stored = self.read(path)
            if stored is not None:
                yield stored

    def close(self) -> None:
        """Do nothing, because no file is open."""

    def read(self, path: Path) -> Stored | None:
        """Return the entry in the file at *path*, or `None` if the file is not an entry."""
        # Skip folders and pipes, because reading a pipe would wait for the writer of the
        # pipe.
        if not path.is_file():
            return None
        with store_errors():
            try:
                with path.open("rb") as file:
                    head = file.readline(MAX_HEAD_BYTES)
                    packed = file.read(MAX_ENTRY_BYTES + 1)
            except FileNotFoundError:
                return None
        try:
            name, keep_until = json.loads(head)
            origin, end = Origin.of(name), float(keep_until)
        except (ValueError, TypeError, RecursionError):
            return None
        if origin is None or len(packed) > MAX_ENTRY_BYTES:
            return None
        return Stored(origin, packed, end)


@contextmanager
def store_errors() -> Iterator[None]:
    """Convert an error of the file system into a `StoreError`."""
    try:
        yield
    except OSError as error:
        raise StoreError(str(error)) from error
