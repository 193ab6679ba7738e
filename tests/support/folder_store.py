"""A store as a user would write it: a folder with a file for each origin."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from typing_extensions import Self

MAX_BYTES = 2**24


class FolderStore:
    """A store with the URL `mypackage.stores.FolderStore:///path/of/folder`."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003
        return cls(url.partition("://")[2])

    def path(self, origin: str) -> Path:
        """The file name is a hash, because an origin may be too long for a file name."""
        return self.folder / sha256(origin.encode()).hexdigest()

    def get(self, origin: str) -> bytes | None:
        with suppress(FileNotFoundError), self.path(origin).open("rb") as file:
            entry = file.read(MAX_BYTES + 1)
            return entry if len(entry) <= MAX_BYTES else None
        return None

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        """Replace the file in one step: workers may write simultaneously, or be killed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        new = self.folder / f"{uuid4()}.new"
        new.write_bytes(entry)
        new.replace(self.path(origin))

    def close(self) -> None:
        """Do nothing, because no file stays open."""
