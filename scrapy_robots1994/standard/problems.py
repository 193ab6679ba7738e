"""Problems: what the author of a file should know about it, as values and as the table
of all kinds.
"""

from dataclasses import dataclass

from scrapy_robots1994.printable import printable

ERROR = "error"
WARNING = "warning"
INFO = "info"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, or worth knowing, with one line of a file.

    *line* and *column* count from 1. *message* is safe to print. *clause* is the id of
    the rule it is about. *opens_site* says that the file opens what its author is
    likely to have meant to close.
    """

    code: str
    line: int
    column: int
    message: str
    severity: str
    clause: str
    opens_site: bool

    def __str__(self) -> str:
        """Return the problem as one line of a report."""
        where = f"{self.line}:{self.column}"
        return f"{where}: {self.severity} {self.code} ({self.clause}): {self.message}"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem; *message* has a place for what the file says there."""

    code: str
    clause: str
    severity: str
    message: str
    opens_site: bool = False

    def at(self, line: int, column: int, *said: str) -> Problem:
        """Return the problem of this kind at a place, with what the file says there."""
        message = self.message.format(*(printable(text, 60) for text in said))
        return Problem(
            self.code,
            line,
            column,
            message,
            self.severity,
            self.clause,
            self.opens_site,
        )


ORPHAN = Kind(
    "R001",
    "O4",
    ERROR,
    "Disallow without a User-agent line in its record is ignored",
    opens_site=True,
)
SPLIT = Kind(
    "R002",
    "O5",
    ERROR,
    "a blank line ends the record before its Disallow lines; "
    "from line {} on they are ignored",
    opens_site=True,
)
WITHOUT_RULES = Kind(
    "R003",
    "O3",
    ERROR,
    'the record for "{}" has no Disallow line and forbids nothing',
    opens_site=True,
)
NAMELESS = Kind(
    "R004",
    "O12",
    ERROR,
    "User-agent without a name is ignored",
    opens_site=True,
)
PATHLESS = Kind(
    "R005",
    "O20",
    ERROR,
    'the value "{}" does not begin with a slash and matches nothing',
    opens_site=True,
)
MALFORMED = Kind(
    "R006",
    "O14",
    WARNING,
    'the line "{}" is not a field name, a colon and a value, and is ignored',
)
NO_BLANK = Kind(
    "R007",
    "O7",
    WARNING,
    "User-agent after Disallow, without a blank line, begins a new record",
)
SECOND_DEFAULT = Kind(
    "R008",
    "A3",
    WARNING,
    "a further record for everybody, beside that of line {}; all of them are obeyed",
)
ADDS_NOTHING = Kind(
    "R009",
    "O21",
    WARNING,
    "an empty Disallow adds nothing beside others, which stand",
)
UNKNOWN = Kind("R010", "F6", INFO, 'the field "{}" is unknown and ignored')
SPACED = Kind(
    "R011",
    "O15",
    INFO,
    "space at the start of the line or before the colon",
)
MARK = Kind("R012", "O16", INFO, "a byte order mark is left out")
UNDECODABLE = Kind(
    "R013",
    "O17",
    WARNING,
    "bytes that are not text in the encoding of the file were replaced",
)
CUT = Kind(
    "R014",
    "O24",
    WARNING,
    "the file is longer than what is read of it; from here on nothing is obeyed",
)

KINDS = (
    ORPHAN,
    SPLIT,
    WITHOUT_RULES,
    NAMELESS,
    PATHLESS,
    MALFORMED,
    NO_BLANK,
    SECOND_DEFAULT,
    ADDS_NOTHING,
    UNKNOWN,
    SPACED,
    MARK,
    UNDECODABLE,
    CUT,
)
