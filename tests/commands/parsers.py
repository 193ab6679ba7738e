"""Parsers that comparisons load by their path."""

from __future__ import annotations

from pathlib import Path


class OpenParser:
    """Allows everything."""

    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        """Read anything."""
        return cls()

    def allowed(self, *_: object) -> bool:
        """Say yes."""
        return True


class PickyParser(OpenParser):
    """Raises at an empty file."""

    @classmethod
    def from_crawler(cls, *given: object) -> PickyParser:
        """Read what is not empty."""
        if not given[1]:
            raise ValueError
        return cls()


class HangingParser(OpenParser):
    """Does not come to an end at a file that says so, and allows everything else."""

    hangs = False
    marker: str | None = None

    @classmethod
    def from_crawler(cls, *given: object) -> HangingParser:
        """Read anything."""
        made = cls()
        made.marker = getattr(given[0], "settings", {}).get("MARKER")
        made.hangs = isinstance(given[1], bytes) and b"# hang" in given[1]
        return made

    def allowed(self, *_: object) -> bool:
        """Say yes, or compute for ever and keep the interpreter."""
        if self.hangs and self.marker:
            Path(self.marker).touch()
        return not self.hangs or bool(sum(iter(int, 1)))
