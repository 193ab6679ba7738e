"""Diagnosis: the cause of a disagreement, and the lines that are needed for it."""

from __future__ import annotations

from functools import cached_property
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
from scrapy_robots1994.compare.transforms import TRANSFORMS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from scrapy_robots1994.compare.lines import Lines
    from scrapy_robots1994.compare.parsers import ParsedFile

_ALLOWING = b"User-agent: *\nAllow: /a\nDisallow: /\n"
_ALLOWED = Question("http://a.test/a", "a")


class ParsedVariants:
    """One body and its variants, each made once and read once by each parser."""

    def __init__(self, body: bytes, dialect: str = "1994") -> None:
        self.body = body
        self._dialect = dialect
        self._bodies: dict[tuple[Cause, str], tuple[bytes, ...]] = {}
        self._read: dict[tuple[str, bytes], ParsedFile] = {}

    @cached_property
    def lines(self) -> Lines:
        """The lines of the body."""
        return lines_of(self.body, self._dialect)

    def only(self, places: Collection[int]) -> ParsedVariants:
        """Return the lines at these *places* as another body."""
        return ParsedVariants(self.lines.only(places).body, self._dialect)

    def by(self, parser: Parser, body: bytes | None = None) -> ParsedFile:
        """Return the body, or the variant *body* of it, as *parser* reads it."""
        key = parser.name, self.body if body is None else body
        if key not in self._read:
            self._read[key] = read(parser, key[1])
        return self._read[key]

    def without(
        self, cause: Cause, question: Question
    ) -> Iterator[tuple[bytes, Question]]:
        """Yield each variant without *cause* and the question about it.

        What has nothing of the cause in it is left out.
        """
        transform = TRANSFORMS[cause]
        changed = transform.question(question)
        if changed is None:
            return
        key = cause, question.robot if transform.by_robot else ""
        if key not in self._bodies:
            variants = (it.body for it in transform.files(self.lines, key[1]))
            self._bodies[key] = tuple(dict.fromkeys(variants))
        for body in self._bodies[key]:
            if body != self.body or changed != question:
                yield body, changed


class Diagnosis:
    """Ours and one other parser: why they differ about a file, and by which lines."""

    def __init__(self, ours: Parser, theirs: Parser) -> None:
        self._ours = ours
        self._theirs = theirs
        self._causes = list(TRANSFORMS)
        # The order of rules separates only parsers that both obey Allow.
        both = (decision_of(it, _ALLOWING, _ALLOWED).allowed for it in (ours, theirs))
        if not all(both):
            self._causes.remove(Cause.LONGEST_MATCH)

    def direction(self, body: bytes, question: Question) -> Direction:
        """Return what theirs says to *question* about *body*, compared with ours."""
        return direction_of(
            decision_of(self._ours, body, question),
            decision_of(self._theirs, body, question),
        )

    def cause(self, files: ParsedVariants, question: Question) -> Cause:
        """Return why the two differ about the whole file.

        Where no variant of it makes them agree, as when two causes come together, the
        variants of the lines that are needed decide.
        """
        found = self._cause_in(files, question)
        if found is None:
            needed = files.only(self.minimal_lines(files.body, question))
            found = self._cause_in(needed, question)
        return Cause.OTHER if found is None else found

    def _cause_in(self, files: ParsedVariants, question: Question) -> Cause | None:
        """Return the first cause without which the two agree, if there is one."""
        for cause in self._causes:
            for body, changed in files.without(cause, question):
                ours = decision_by(files.by(self._ours, body), changed)
                if ours == decision_by(files.by(self._theirs, body), changed):
                    return cause
        return None

    def minimal_lines(self, body: bytes, question: Question) -> tuple[int, ...]:
        """Return the places (from 0) of the lines that are needed for the two to differ
        as they do: without any one of them they do not.
        """
        lines = lines_of(body)
        direction = self.direction(body, question)

        def differ(places: Sequence[int]) -> bool:
            return self.direction(lines.only(places).body, question) is direction

        return ddmin(len(lines.lines), differ)


def ddmin(count: int, holds: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """Return places out of `range(count)` for which *holds*, one-minimal.

    *holds* must be so of all places together. Of the result no single place can be
    left out. Big pieces are tried first, so that a few lines out of thousands are found
    in about as many trials as `count` has binary digits, times a few.
    """
    needed = list(range(count))
    size = count
    while needed and size:
        size = min(size, len(needed))
        is_less = False
        # From the end: what a rule needs before it (its User-agent line) goes last.
        end = len(needed)
        while end > 0:
            start = max(0, end - size)
            rest = needed[:start] + needed[end:]
            if holds(rest):
                needed, is_less = rest, True
            end = start
        # One line at a time until nothing more goes: then it is one-minimal.
        size = size if size == 1 and is_less else size // 2
    return tuple(needed)
