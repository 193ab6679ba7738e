"""Stores of the user, by the documented contract alone, that crawls load by path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from typing_extensions import Self

from scrapy_robots1994 import Origin
from scrapy_robots1994.stores.base import PolicyStore, Stored


class ReadOnlyFolder(PolicyStore):
    """A folder with a file for each origin; only with `?fill=1` it stores anything."""

    def __init__(self, folder: str, *, fills: bool) -> None:
        self._folder = Path(folder)
        self._fills = fills

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:  # noqa: ARG003 - needs no time
        """Return the store of a folder."""
        parts = urlsplit(f"file:{url.partition(':')[2]}")
        return cls(parts.path, fills="fill" in parse_qs(parts.query))

    def _path(self, origin: Origin) -> Path:
        """Return the file of *origin*."""
        return self._folder / quote(str(origin), safe="")

    def get(self, origin: Origin) -> bytes | None:
        """Return the bytes of *origin*, or `None`."""
        path = self._path(origin)
        return path.read_bytes() if path.exists() else None

    def put(self, stored: Stored) -> None:
        """Store *stored*, or leave it out without a word."""
        if self._fills:
            self._path(stored.origin).write_bytes(stored.packed)

    def forget(self, origin: Origin) -> bool:
        """Delete nothing."""
        return False

    def entries(self) -> Iterator[Stored]:
        """Yield nothing."""
        return iter(())

    def close(self) -> None:
        """Close nothing."""
