"""Parsers that comparisons load by their import path."""

from __future__ import annotations

from pathlib import Path


class OpenParser:
    """Parser that allows every URL."""

    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        """Accept any file."""
        return cls()

    def allowed(self, *_: object) -> bool:
        """Return True."""
        return True


class PickyParser(OpenParser):
    """Parser that raises for an empty file."""

    @classmethod
    def from_crawler(cls, *args: object) -> PickyParser:
        """Accept any file that is not empty."""
        if not args[1]:
            raise ValueError
        return cls()


class HangingParser(OpenParser):
    """Parser that never returns for a file with the line `# hang`, and allows the rest."""

    hangs = False
    marker: str | None = None

    @classmethod
    def from_crawler(cls, *args: object) -> HangingParser:
        """Look for the line `# hang` in the file."""
        parser = cls()
        parser.marker = getattr(args[0], "settings", {}).get("MARKER")
        parser.hangs = isinstance(args[1], bytes) and b"# hang" in args[1]
        return parser

    def allowed(self, *_: object) -> bool:
        """Return True, or compute forever without releasing the interpreter."""
        if self.hangs and self.marker:
            Path(self.marker).touch()
        return not self.hangs or bool(sum(iter(int, 1)))
