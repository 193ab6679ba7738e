"""Parsers that comparisons load by their import path."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path


class OpenParser:
    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        return cls()

    def allowed(self, *_: object) -> bool:
        return True


class FailingParser(OpenParser):
    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        raise RuntimeError("no licence")


class HangingParser(OpenParser):
    """Allows every URL, but never returns if the file contains `# hang`."""

    hangs = False
    marker: str | None = None

    @classmethod
    def from_crawler(cls, *args: object) -> HangingParser:
        parser = cls()
        parser.marker = getattr(args[0], "settings", {}).get("MARKER")
        parser.hangs = isinstance(args[1], bytes) and b"# hang" in args[1]
        return parser

    def allowed(self, *_: object) -> bool:
        """If the parser hangs, compute forever, without releasing the interpreter lock."""
        if self.hangs and self.marker:
            Path(self.marker).touch()
        return not self.hangs or bool(sum(iter(int, 1)))


class MarkingParser(OpenParser):
    @classmethod
    def from_crawler(cls, *args: object) -> MarkingParser:
        Path(getattr(args[0], "settings", {})["MARKER"]).touch()
        return cls()

    def allowed(self, *_: object) -> bool:
        sys.stdout.write("printed by a parser\n")
        logging.getLogger("parser").error("logged by a parser")
        return True


class EndingParser(OpenParser):
    def allowed(self, *_: object) -> bool:
        os._exit(1)


class PanickingParser(OpenParser):
    """Raises a `BaseException`, as a panic of a parser written in Rust does."""

    def allowed(self, *_: object) -> bool:
        raise BaseException  # noqa: TRY002 - the class of a panic cannot be imported
