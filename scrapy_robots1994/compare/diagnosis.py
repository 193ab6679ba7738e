"""Diagnosis: why two parsers differ, a closed list of causes, and which lines they need.

A cause is never guessed: it is assigned because the two agree about a transformed file
(and, where the URL or the robot's name is part of the cause, a transformed question).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache, cached_property
from typing import NamedTuple

from scrapy_robots1994.compare import transforms
from scrapy_robots1994.compare.parsers import (
    ALLOWS,
    Capture,
    Direction,
    Parser,
    Question,
    direction_of,
    read,
)
from scrapy_robots1994.compare.transforms import Lines
from scrapy_robots1994.parser.dialects import Dialect

_ALLOWING = b"User-agent: *\nAllow: /a\nDisallow: /\n"
_ALLOWED = Question("http://a.test/a", "a")


class Transform(NamedTuple):
    """How a cause is taken out of a file, for one robot, and out of a question."""

    files: Callable[[Lines, str], Iterable[Lines]]
    question: Callable[[Question], Question] = lambda question: question


def _in_paths(change: Callable[[str], str]) -> Transform:
    """Return the transform that changes the rules and the URL alike."""
    return Transform(transforms.in_values(change), transforms.in_target(change))


class Cause(Enum):
    """Why two parsers answer one question differently.

    The value is for machines, *title* for a table. *clause* names the clauses of
    the standard and the decisions of ours that it is about. *evidence* says after which
    change the two agreed: that which *transform* makes, where a file and a question are
    changed. The order counts: of several transforms that make two parsers agree, the first
    names the cause.
    """

    STATUS = (
        "status",
        "status of the answer",
        "Ours R3 to R5",
        (
            "Both agree when the body is read as if the answer were 200: here the status "
            "decides, and only the other parser looks at the body."
        ),
    )
    SHARED_HOST = (
        "shared-host",
        "one policy for a host and port",
        "",
        (
            "Both agree when ours reads the file that the built-in middleware uses: the "
            "first that was fetched for this host and port, whatever the scheme."
        ),
    )
    ITSELF = (
        "robots.txt-itself",
        "/robots.txt itself",
        "1994 M1, Ours O22",
        "Both agree when the file and the URL have another name than /robots.txt.",
        _in_paths(transforms.without_itself),
    )
    LONGEST_MATCH = (
        "longest-match",
        "longest match",
        "1994 D1",
        "Both agree when the rules of each record stand in order of their length.",
        Transform(transforms.without_order),
    )
    ALLOW = (
        "allow",
        "Allow",
        "1994 F6, Ours O21",
        (
            "Both agree when the lines that allow (Allow, or an empty Disallow next to "
            "others) forbid nothing and allow nothing."
        ),
        Transform(transforms.without_allow),
    )
    WILDCARD = (
        "wildcard",
        "wildcard or $",
        "1994 D1",
        "Both agree when each * and $ of a path is an ordinary character.",
        _in_paths(transforms.without_special),
    )
    SPLIT_RECORD = (
        "split-record",
        "record split by a blank line",
        "1994 F1, Ours O5",
        "Both agree when no blank line stands inside a record.",
        Transform(transforms.without_splits),
    )
    MERGED_RECORDS = (
        "merged-records",
        "records merged",
        "1994 F1, Ours O1",
        (
            "Both agree when each robot has one record and a blank line separates the "
            "records."
        ),
        Transform(transforms.without_merging),
    )
    AGENT = (
        "agent-matching",
        "agent matching",
        "1994 A2, Ours O8",
        (
            "Both agree when the robot and its record have one plain name, and all other "
            "records have names that are not part of it."
        ),
        Transform(transforms.without_names, transforms.by_plain_name),
    )
    SEVERAL_DEFAULTS = (
        "several-defaults",
        "several *",
        "1994 A3, Ours O2",
        "Both agree when all records for * are one.",
        Transform(transforms.without_several_defaults),
    )
    PERCENT = (
        "percent-encoding",
        "percent-encoding",
        "Ours O18",
        "Both agree when paths and URL have one spelling, of plain letters only.",
        _in_paths(transforms.without_spellings),
    )
    ENCODING = (
        "encoding",
        "encoding",
        "Ours O16, O17",
        "Both agree when the file is plain ASCII without a byte order mark.",
        Transform(transforms.without_encoding),
    )
    OTHER = (
        "other",
        "other",
        "",
        "None of the transformed files makes the two agree.",
    )
    TIMEOUT = (
        "not-found-in-time",
        "not found in time",
        "",
        "The search for the cause took too long.",
    )

    def __new__(cls, code: str, *_: object) -> "Cause":  # noqa: PYI034 - Self needs Python 3.11
        """Return the member whose value is *code*: the row itself may not be pickled."""
        member = object.__new__(cls)
        member._value_ = code
        return member

    def __init__(
        self,
        _code: str,
        title: str,
        clause: str,
        evidence: str,
        transform: Transform | None = None,
    ) -> None:
        self.title = title
        self.clause = clause
        self.evidence = evidence
        self.transform = transform


class ParsedVariants:
    """One body and its variants, each made once and read once by each parser."""

    def __init__(self, body: bytes, dialect: Dialect) -> None:
        self.body = body
        self._dialect = dialect
        self._bodies: dict[tuple[Cause, str], dict[bytes, None]] = {}
        self.read = cache(read)
        """Return a body, this one or a variant of it, as a parser reads it."""

    @cached_property
    def lines(self) -> Lines:
        """The lines of the body."""
        return transforms.lines_of(self.body, self._dialect)

    def without(
        self, cause: Cause, question: Question
    ) -> Iterator[tuple[bytes, Question]]:
        """Yield each variant without *cause* and the question about it.

        What has nothing of the cause in it is left out.
        """
        transform = cause.transform
        if transform is None:
            return
        # Of all transforms one depends on the robot.
        key = cause, question.robot if cause is Cause.AGENT else ""
        if key not in self._bodies:
            variants = transform.files(self.lines, key[1])
            self._bodies[key] = dict.fromkeys(it.body for it in variants)
        changed = transform.question(question)
        for body in self._bodies[key]:
            if body != self.body or changed != question:
                yield body, changed


class Diagnosis:
    """Ours and one other parser: why they differ about a file, and by which lines."""

    def __init__(self, ours: Parser, theirs: Parser) -> None:
        self.ours = ours
        self.theirs = theirs
        self._causes = [it for it in Cause if it.transform]
        # The order of rules separates only parsers that both obey Allow.
        if not all(read(it, _ALLOWING)(_ALLOWED) == ALLOWS for it in (ours, theirs)):
            self._causes.remove(Cause.LONGEST_MATCH)

    def direction(self, body: bytes, question: Question) -> Direction:
        """Return what theirs says to *question* about *body*, compared with ours."""
        ours, theirs = read(self.ours, body), read(self.theirs, body)
        return direction_of(ours(question), theirs(question))

    def cause(
        self, capture: Capture, files: ParsedVariants, question: Question
    ) -> Cause:
        """Return why the two differ about *capture*, whose whole file is *files*.

        Where no variant of it makes them agree, as when two causes come together, the
        variants of the lines that are needed decide.
        """
        is_status = capture.uniform is not None
        is_other = is_status or capture.others is not None
        if is_other and self._agree(files, files.body, question):
            return Cause.STATUS if is_status else Cause.SHARED_HOST
        found = self._cause_in(files, question)
        if found is None:
            needed = files.lines.only(self.minimal_lines(files.lines, question))
            part = ParsedVariants(needed.body, needed.dialect)
            found = self._cause_in(part, question)
        return found or Cause.OTHER

    def _cause_in(self, files: ParsedVariants, question: Question) -> Cause | None:
        """Return the first cause without which the two agree, if there is one."""
        for cause in self._causes:
            for body, changed in files.without(cause, question):
                if self._agree(files, body, changed):
                    return cause
        return None

    def _agree(self, files: ParsedVariants, body: bytes, question: Question) -> bool:
        """Return whether the two answer *question* about *body* in the same way."""
        ours, theirs = files.read(self.ours, body), files.read(self.theirs, body)
        return ours(question) == theirs(question)

    def minimal_lines(self, lines: Lines, question: Question) -> tuple[int, ...]:
        """Return the places (from 0) of the lines that are needed for the two to differ
        as they do: without any one of them they do not.
        """
        direction = self.direction(lines.body, question)
        return ddmin(
            len(lines.lines),
            lambda it: self.direction(lines.only(it).body, question) is direction,
        )


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
        for end in range(len(needed), 0, -size):
            start = max(0, end - size)
            rest = needed[:start] + needed[end:]
            if holds(rest):
                needed, is_less = rest, True
        # One line at a time until nothing more goes: then it is one-minimal.
        size = size if size == 1 and is_less else size // 2
    return tuple(needed)
