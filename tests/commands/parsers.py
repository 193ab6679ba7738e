"""Parsers that comparisons load by their path."""

from __future__ import annotations


class OpenParser:
    """Allows everything."""

    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        """Read anything."""
        return cls()

    def allowed(self, *_: object) -> bool:
        """Say yes."""
        return True


class HangingParser(OpenParser):
    """Does not come to an end at a file that says so, and allows everything else."""

    hangs = False

    @classmethod
    def from_crawler(cls, *given: object) -> HangingParser:
        """Read anything."""
        made = cls()
        made.hangs = isinstance(given[1], bytes) and b"# hang" in given[1]
        return made

    def allowed(self, *_: object) -> bool:
        """Say yes, or compute for ever and keep the interpreter."""
        return not self.hangs or bool(sum(iter(int, 1)))
