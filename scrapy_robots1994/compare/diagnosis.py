"""Diagnosis: the cause of a disagreement, and the lines that are needed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.lines import lines_of
from scrapy_robots1994.compare.parsers import (
    Direction,
    Parser,
    Question,
    direction_of,
    opinion,
    opinion_of,
    read,
)
from scrapy_robots1994.compare.reduction import reduced
from scrapy_robots1994.compare.variants import REMEDIES, Variants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_robots1994.compare.parsers import Reading

_ALLOWING = b"User-agent: *\nAllow: /a\nDisallow: /\n"
_ALLOWED = Question("http://a.test/a", "a")


class Readings:
    """What parsers made of one body and of its variants, each read once."""

    def __init__(self, body: bytes, dialect: str = "1994") -> None:
        self.body = body
        self.dialect = dialect
        self._variants: Variants | None = None
        self._read: dict[tuple[str, bytes], Reading] = {}

    @property
    def variants(self) -> Variants:
        """The variants of the body; made when first asked for."""
        if self._variants is None:
            self._variants = Variants(self.body, self.dialect)
        return self._variants

    def by(self, parser: Parser, body: bytes | None = None) -> Reading:
        """Return the body, or the variant *body* of it, as *parser* reads it."""
        body = self.body if body is None else body
        known = self._read.get((parser.name, body))
        if known is None:
            known = self._read[parser.name, body] = read(parser, body)
        return known


class Diagnosis:
    """Ours and one other parser: why they differ about a file, and by which lines."""

    def __init__(self, ours: Parser, theirs: Parser) -> None:
        self._ours = ours
        self._theirs = theirs
        # The order of rules parts only parsers that both obey Allow.
        both_allow = all(
            opinion_of(parser, _ALLOWING, _ALLOWED).allowed for parser in (ours, theirs)
        )
        self._causes = [
            cause
            for cause in REMEDIES
            if both_allow or cause is not Cause.LONGEST_MATCH
        ]

    def direction(self, body: bytes, question: Question) -> Direction:
        """Return what theirs says to *question* about *body*, beside ours."""
        return direction_of(
            opinion_of(self._ours, body, question),
            opinion_of(self._theirs, body, question),
        )

    def cause(self, readings: Readings, question: Question) -> Cause:
        """Return why the two differ about the whole file.

        Where no variant of it makes them agree, as when two causes come together, the
        variants of the lines that are needed decide.
        """
        found = self._cause_in(readings, question)
        if found is None:
            needed = self.needed(readings.body, question)
            lines = lines_of(readings.body)
            fewer = Readings(lines.only(needed).body, readings.dialect)
            found = self._cause_in(fewer, question)
        return Cause.OTHER if found is None else found

    def _cause_in(self, readings: Readings, question: Question) -> Cause | None:
        """Return the first cause without which the two agree; None when there is
        none.
        """
        for cause in self._causes:
            for body, asked in readings.variants.without(cause, question):
                ours = opinion(readings.by(self._ours, body), asked)
                if ours == opinion(readings.by(self._theirs, body), asked):
                    return cause
        return None

    def needed(self, body: bytes, question: Question) -> tuple[int, ...]:
        """Return the places (from 0) of the lines that are needed for the two to differ
        as they do: without any one of them they do not.
        """
        lines = lines_of(body)
        direction = self.direction(body, question)

        def differ(kept: Sequence[int]) -> bool:
            return self.direction(lines.only(kept).body, question) is direction

        return reduced(len(lines.lines), differ)
