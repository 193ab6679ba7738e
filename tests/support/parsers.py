"""Parsers that comparisons load by their import path."""

from __future__ import annotations

import os
from pathlib import Path


class OpenParser:
    """A parser that allows every URL."""

    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        """Return a parser, whatever the file contains."""
        return cls()

    def allowed(self, *_: object) -> bool:
        """Return True."""
        return True


class FailingParser(OpenParser):
    """A parser that reads no file."""

    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        """Raise `RuntimeError`."""
        raise RuntimeError("no licence")


class HangingParser(OpenParser):
    """A parser that allows every URL, but never returns for a file that contains `# hang`."""

    hangs = False
    marker: str | None = None

    @classmethod
    def from_crawler(cls, *args: object) -> HangingParser:
        """Return a parser that hangs if the file contains `# hang`."""
        parser = cls()
        parser.marker = getattr(args[0], "settings", {}).get("MARKER")
        parser.hangs = isinstance(args[1], bytes) and b"# hang" in args[1]
        return parser

    def allowed(self, *_: object) -> bool:
        """Return True, or compute for ever without releasing the interpreter lock."""
        if self.hangs and self.marker:
            Path(self.marker).touch()
        return not self.hangs or bool(sum(iter(int, 1)))


class MarkingParser(OpenParser):
    """A parser that creates the file in the setting MARKER."""

    @classmethod
    def from_crawler(cls, *args: object) -> MarkingParser:
        """Return a parser; create the file."""
        Path(getattr(args[0], "settings", {})["MARKER"]).touch()
        return cls()


class EndingParser(OpenParser):
    """A parser that ends its process."""

    def allowed(self, *_: object) -> bool:
        """End the process."""
        os._exit(1)


class PanickingParser(OpenParser):
    """A parser whose exception is not an `Exception`, like a panic of a parser in Rust."""

    def allowed(self, *_: object) -> bool:
        """Raise an exception that is not an `Exception`."""
        raise BaseException  # noqa: TRY002 - the class of a panic is in no module
