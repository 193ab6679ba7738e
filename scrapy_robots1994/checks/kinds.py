"""Problems: what the author of a file should know about it; with the table of all kinds.

A code never changes its meaning. `lines.py`, `values.py`, `records.py` and `run.py` find
them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from scrapy_robots1994.escaping import escape_control_chars

ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)

_QUOTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, or worth knowing, with one line of a file.

    *line* and *column* count from 1. *message* and *fix*, which says what to write
    instead, are safe to print. *clause* is the id of the clause or decision.
    *weakens_policy* says that the file opens what its author likely meant to close,
    *is_split* that only a blank line does, so that the cautious reading closes it.
    """

    code: str
    line: int
    column: int
    message: str
    severity: str
    clause: str
    weakens_policy: bool
    fix: str = ""
    is_split: bool = False

    def __str__(self) -> str:
        """Return the problem as one line of a report."""
        where = f"{self.line}:{self.column}"
        return f"{where}: {self.severity} {self.code} ({self.clause}): {self.message}"


def sentence(problem: Problem) -> str:
    """Return the message of *problem* with its end."""
    return problem.message + ("" if problem.message.endswith("?") else ".")


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of problem; *message* has a placeholder for each text of the file.

    *title* names the kind in a table; *fix* says what the author of the file can do.
    """

    code: str
    clause: str
    severity: str
    title: str
    message: str
    fix: str
    weakens_policy: bool = field(default=False, kw_only=True)

    def at(self, line: int, column: int, *texts: str, **more: Any) -> "Match":
        """Return a match of this kind at a place, with what the file has there.

        *more* are the optional fields of `Match`.
        """
        return Match(self, line, column, texts, **more)


class Match(NamedTuple):
    """A problem before it is put into words, which takes longer than to find it.

    *fix*, or what it returns, takes the place of the check's own, if it is not empty.
    *meant* are the robots that the author of a wrong User-agent line likely meant.
    *is_harmless* says that this match does not weaken the policy, though its kind may,
    and *is_split* that the cautious reading obeys the rules that it is about.
    """

    check: Check
    line: int
    column: int
    texts: tuple[str, ...]
    fix: str | Callable[[], str] = ""
    meant: tuple[str, ...] = ()
    is_harmless: bool = False
    is_split: bool = False

    @property
    def weakens_policy(self) -> bool:
        """Whether it opens what the author of the file likely meant to close."""
        return self.check.weakens_policy and not self.is_harmless

    def problem(self) -> Problem:
        """Return the problem, safe to print."""
        check = self.check
        shown = (escape_control_chars(text, _QUOTED_CHARACTERS) for text in self.texts)
        fix = self.fix() if callable(self.fix) else self.fix
        return Problem(
            check.code,
            self.line,
            self.column,
            check.message.format(*shown),
            check.severity,
            check.clause,
            self.weakens_policy,
            fix or check.fix,
            self.is_split,
        )


def _kind(*row: str, weakens_policy: bool = False) -> Callable[[str, str], Check]:
    """Return a function that takes the message and the fix, and returns the check.

    *row* is code, clause, severity and title.
    """
    return partial(Check, *row, weakens_policy=weakens_policy)


# The kinds that open a site against its author's likely intent.
_weakening = partial(_kind, weakens_policy=True)

ORPHAN = _weakening("R001", "O4", ERROR, "Disallow without User-agent")(
    "{} without a User-agent line in its record is ignored",
    "Put it below the User-agent lines it belongs to, with no blank line between.",
)
SPLIT = _weakening("R002", "O5", ERROR, "record split by a blank line")(
    "a blank line ends the record before its Disallow lines; from line {} on they are ignored",
    "Delete the blank line, or write a `#` into it.",
)
WITHOUT_RULES = _weakening("R003", "O3", ERROR, "record without Disallow")(
    'the record for "{}" has no Disallow line and forbids nothing',
    "Write its Disallow lines below it; an empty `Disallow:` says that all is allowed.",
)
NAMELESS = _weakening("R004", "O12", ERROR, "User-agent without a name")(
    "User-agent without a name is ignored",
    "Write the robot's name, or `*` for every robot.",
)
PATHLESS = _weakening("R005", "O20", ERROR, "value without a leading slash")(
    'the value "{}" does not begin with a slash and matches nothing',
    "Write the path from the root of the site, for example `/path`.",
)
MALFORMED = _kind("R006", "O14", WARNING, "line without a colon")(
    'the line "{}" is not a field name, a colon and a value, and is ignored',
    "Write `Field: value`, or begin the line with `#` to make it a comment.",
)
NO_BLANK = _kind("R007", "O7", WARNING, "no blank line between records")(
    "User-agent after {}, without a blank line, {}",
    "Put a blank line before it.",
)
SECOND_DEFAULT = _kind("R008", "A3", WARNING, "several records for every robot")(
    "another record for every robot, besides that of line {}; all of them are obeyed",
    "Put all its Disallow lines into the first record for `*`, above the others.",
)
ADDS_NOTHING = _kind("R009", "O21", WARNING, "empty Disallow next to others")(
    "an empty Disallow adds nothing to the others, which have their effect",
    "Delete it, or the others.",
)
UNKNOWN = _kind("R010", "F6", INFO, "unknown field")(
    'the field "{}" is unknown and ignored',
    "Delete the line, or begin it with `#` to make it a comment.",
)
SPACED = _kind("R011", "O15", INFO, "space before the field or the colon")(
    "space at the start of the line or before the colon",
    "Delete the space: other robots may not see the line.",
)
MARK = _kind("R012", "O16", INFO, "byte order mark")(
    "a byte order mark is left out",
    "Save the file as UTF-8 without a mark: other robots lose the first line.",
)
UNDECODABLE = _kind("R013", "O17", WARNING, "bytes that are not UTF-8")(
    "bytes that are not UTF-8 are compared as the bytes they are",
    "Save the file as UTF-8, or write such characters percent-encoded.",
)
TRUNCATED = _kind("R014", "O24", WARNING, "file over the size limit")(
    "the file is longer than what is read of it; from here on nothing is obeyed",
    "Shorten the file: one short rule covers all paths that begin with it.",
)
WILDCARD = _kind("R015", "D1", WARNING, "wildcard in a value")(
    'the "{}" of "{}" is an ordinary character: only URLs that contain it match',
    "Write the paths without wildcards.",
)
ALLOW = _kind("R016", "F6", INFO, "Allow")(
    "Allow is not a field of this dialect; it is ignored: what a Disallow covers stays "
    "disallowed",
    "Name what is closed by Disallow lines alone, one for each path.",
)
CRAWL_DELAY = _kind("R017", "F6", INFO, "Crawl-delay")(
    "Crawl-delay is not a field of this dialect; it is ignored",
    "Nothing need be done; a robot of this dialect does not see it.",
)
SITEMAP = _kind("R018", "F6", INFO, "Sitemap")(
    "Sitemap is not a field of this dialect; it is ignored",
    "Nothing need be done; a robot of this dialect does not see it.",
)
EXTENSION = _kind("R019", "F6", INFO, "other extension")(
    'the field "{}" is an extension that is not part of this dialect; it is ignored',
    "Nothing need be done; a robot of this dialect does not see it.",
)
MISSPELT = _weakening("R020", "F6", ERROR, "misspelt field")(
    'the field "{}" is unknown and ignored; was "{}" meant?',
    "Correct the name of the field: it is obeyed only when it is exact.",
)
NO_COLON = _weakening("R021", "O14", ERROR, "colon missing after a field")(
    'the line "{}" has no colon and is ignored; was "{}:" meant?',
    "Put a colon after the name of the field.",
)
DUPLICATE = _kind("R022", "D1", INFO, "duplicate rule")(
    "line {} of the same record says the same",
    "Delete one of the two.",
)
SHADOWED = _kind("R023", "D1", INFO, "shadowed rule")(
    'line {}, "{}", already covers all that this one does',
    "Delete this line, or the shorter rule if that one covers too much.",
)
UNREACHED = _kind("R024", "O1", WARNING, "name that an earlier record takes")(
    'a robot named "{}" obeys the record of line {}, for "{}", and never this one',
    "Put the record of the longer name first, or make one record of the two.",
)
HTML = _kind("R025", "O23", ERROR, "HTML or XML")(
    "the file begins as a page of HTML or XML does, and is read literally",
    "Serve plain text at /robots.txt, or answer 404 when there is no such file.",
)
ALLOW_ONLY = _kind("R026", "O3", INFO, "record of Allow lines alone")(
    'the record for "{}" has no Disallow line and forbids nothing, with or without its Allow lines',
    "Write an empty `Disallow:` to say the same in the words of 1994.",
)
LONE_CR = _kind("R027", "F2", WARNING, "lines ended by CR alone")(
    "CR alone ends {} line(s), this one first",
    "End lines with NL or CR NL: other robots may read all of them as one line.",
)
CONTROL = _kind("R028", "O25", WARNING, "control character")(
    'invisible characters are part of "{}"',
    "Delete them, or write them percent-encoded.",
)
NAME_LIST = _weakening("R029", "O11", WARNING, "several names on one line")(
    'commas and spaces separate no names: the one name is "{}", {}',
    "Write one User-agent line for each name.",
)
NAME_WILDCARD = _weakening("R030", "A3", WARNING, "wildcard in a name")(
    'the "*" is part of the name "{}", which no robot has',
    "Write the name alone: it is for every robot whose name contains it.",
)
VERSION = _kind("R031", "O10", INFO, "version in a name")(
    'the record is for "{}"; the rest of the value is left out',
    "Write the name alone: the record is for all versions.",
)
COMMENT_INSIDE = _kind("R032", "O13", INFO, "comment without space before it")(
    'a comment begins here: the value is "{}"',
    "Put a space before a comment; write a `#` in a path as `%23`.",
)
URL_VALUE = _kind("R033", "O19", INFO, "URL as a value")(
    'the value "{}" is compared with whole URLs; most robots expect a path',
    "Write the path alone, for example `/path`.",
)
PATH_LIST = _weakening("R034", "D1", WARNING, "several paths on one line")(
    'spaces belong to a path: "{}" is one path',
    "Write one line for each path.",
)
TIMELESS = _kind("R035", "X4", WARNING, "Crawl-delay without a number")(
    'the Crawl-delay "{}" is not a number of seconds and is ignored',
    "Write a decimal number of seconds: `Crawl-delay: 10`.",
)
INEFFECTIVE_ALLOW = _kind("R036", "X1", WARNING, "Allow without effect")(
    'line {}, "{}", decides about every URL that this line allows',
    "Put this line above that one: the first line that covers a URL decides.",
)
INEFFECTIVE_DISALLOW = _weakening("R037", "X1", WARNING, "Disallow without effect")(
    'line {}, "{}", decides about every URL that this line disallows',
    "Put this line above that one: the first line that covers a URL decides.",
)
INVISIBLE = _weakening("R038", "F3", ERROR, "invisible or look-alike character")(
    "{} makes this line something else than {}",
    "Delete the character and type the line again.",
)
TWO_FIELDS = _weakening("R039", "F3", ERROR, "two fields on one line")(
    'two fields on one line: "{}" belongs to the value of {}',
    "Write each field on a line of its own.",
)
WIDE_TEXT = _weakening("R040", "O16", ERROR, "UTF-16 without a byte order mark")(
    "the file is UTF-16 without a byte order mark, and no line of it can be read",
    "Save the file as UTF-8.",
)
CLOSED_BY_COMMENT = _kind("R041", "O13", WARNING, "comment that leaves the path /")(
    "a comment begins here: the value is /, which covers the whole site",
    "Delete the line: what follows a `#` in a URL is never sent, so no rule can name it.",
)
NAME_PUNCTUATION = _weakening("R042", "A1", WARNING, "punctuation around a name")(
    'the punctuation is part of the name "{}", which no robot has',
    "Write the name alone, without quotes, brackets, colons or commas.",
)

KINDS = tuple(it for it in list(globals().values()) if isinstance(it, Check))
"""All kinds of problems, by code."""
