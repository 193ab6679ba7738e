"""A store as a user would write it: each policy is a file in a folder."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote
from uuid import uuid4

from typing_extensions import Self

from scrapy_robots1994 import Origin
from scrapy_robots1994.stores.base import PolicyStore, Stored


class FolderStore(PolicyStore):
    """Policies as files in a folder: `mypackage.stores.FolderStore:///path/of/folder`."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - files need no timeout
        """Make the store that *url* names."""
        return cls(url.partition("://")[2])

    def file(self, origin: Origin) -> Path:
        """Return the file of *origin*."""
        return self.folder / quote(str(origin), safe="")

    def get(self, origin: Origin) -> bytes | None:
        """Return the stored bytes, or `None`."""
        try:
            return self.file(origin).read_bytes()[8:]
        except FileNotFoundError:
            return None

    def put(self, stored: Stored) -> None:
        """Write a new file, then put it in place of the old one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        end = struct.pack(">d", stored.keep_until)
        # Several workers may write at once, each its own file.
        new = self.folder / f".{uuid4()}"
        new.write_bytes(end + stored.packed)
        new.replace(self.file(stored.origin))

    def forget(self, origin: Origin) -> bool:
        """Remove the file and return whether it existed."""
        existed = self.file(origin).exists()
        self.file(origin).unlink(missing_ok=True)
        return existed

    def entries(self) -> Iterator[Stored]:
        """Yield every stored policy."""
        for path in self.folder.glob("[!.]*"):
            entry = path.read_bytes()
            origin = Origin.of(unquote(path.name))
            assert origin is not None
            yield Stored(origin, entry[8:], *struct.unpack(">d", entry[:8]))

    def close(self) -> None:
        """Leave everything as it is: nothing is open."""
