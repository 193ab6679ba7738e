"""Diagnosis: the cause of a disagreement, and the lines that are needed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.lines import lines_of
from scrapy_robots1994.compare.parsers import (
    Direction,
    Parser,
    Question,
    decision_by,
    decision_of,
    direction_of,
    read,
)
from scrapy_robots1994.compare.transforms import TRANSFORMS, TransformedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_robots1994.compare.parsers import ParsedFile

_ALLOWING = b"User-agent: *\nAllow: /a\nDisallow: /\n"
_ALLOWED = Question("http://a.test/a", "a")


class ParsedVariants:
    """What parsers made of one body and of its variants, each read once."""

    def __init__(self, body: bytes, dialect: str = "1994") -> None:
        self.body = body
        self.dialect = dialect
        self._variants: TransformedFile | None = None
        self._read: dict[tuple[str, bytes], ParsedFile] = {}

    @property
    def variants(self) -> TransformedFile:
        """The variants of the body; made when first asked for."""
        if self._variants is None:
            self._variants = TransformedFile(self.body, self.dialect)
        return self._variants

    def by(self, parser: Parser, body: bytes | None = None) -> ParsedFile:
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
            decision_of(parser, _ALLOWING, _ALLOWED).allowed
            for parser in (ours, theirs)
        )
        self._causes = [
            cause
            for cause in TRANSFORMS
            if both_allow or cause is not Cause.LONGEST_MATCH
        ]

    def direction(self, body: bytes, question: Question) -> Direction:
        """Return what theirs says to *question* about *body*, beside ours."""
        return direction_of(
            decision_of(self._ours, body, question),
            decision_of(self._theirs, body, question),
        )

    def cause(self, readings: ParsedVariants, question: Question) -> Cause:
        """Return why the two differ about the whole file.

        Where no variant of it makes them agree, as when two causes come together, the
        variants of the lines that are needed decide.
        """
        found = self._cause_in(readings, question)
        if found is None:
            needed = self.minimal_lines(readings.body, question)
            lines = lines_of(readings.body)
            fewer = ParsedVariants(lines.only(needed).body, readings.dialect)
            found = self._cause_in(fewer, question)
        return Cause.OTHER if found is None else found

    def _cause_in(self, readings: ParsedVariants, question: Question) -> Cause | None:
        """Return the first cause without which the two agree; None when there is
        none.
        """
        for cause in self._causes:
            for body, asked in readings.variants.without(cause, question):
                ours = decision_by(readings.by(self._ours, body), asked)
                if ours == decision_by(readings.by(self._theirs, body), asked):
                    return cause
        return None

    def minimal_lines(self, body: bytes, question: Question) -> tuple[int, ...]:
        """Return the places (from 0) of the lines that are needed for the two to differ
        as they do: without any one of them they do not.
        """
        lines = lines_of(body)
        direction = self.direction(body, question)

        def differ(kept: Sequence[int]) -> bool:
            return self.direction(lines.only(kept).body, question) is direction

        return ddmin(len(lines.lines), differ)


def ddmin(count: int, holds: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """Return places out of `range(count)` for which *holds*, one-minimal.

    *holds* must be so of all places together. Of the result no single place can be
    left out. Big pieces are tried first, so that a few lines out of thousands are found
    in about as many trials as `count` has binary digits, times a few.
    """
    kept = list(range(count))
    size = count
    while kept and size:
        size = min(size, len(kept))
        kept, is_less = _without_pieces(kept, size, holds)
        # One line at a time until nothing more goes: then it is one-minimal.
        size = size if size == 1 and is_less else size // 2
    return tuple(kept)


def _without_pieces(
    kept: list[int], size: int, holds: Callable[[Sequence[int]], bool]
) -> tuple[list[int], bool]:
    """Return *kept* without the pieces of *size* that are not needed, and whether there
    were any.
    """
    is_less = False
    # From the end: what a rule needs before it (its User-agent line) goes last.
    end = len(kept)
    while end > 0:
        start = max(0, end - size)
        rest = kept[:start] + kept[end:]
        if holds(rest):
            kept, is_less = rest, True
        end = start
    return kept, is_less
