"""Problems: what the author of a file should know about it, as values.

The table of all kinds is in `kinds.py`; who finds them is in `inspection/`.
"""

from dataclasses import dataclass
from typing import NamedTuple

from scrapy_robots1994.escaping import escape_control_chars

ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, or worth knowing, with one line of a file.

    *line* and *column* count from 1. *message* is safe to print. *clause* is the id of
    the rule it is about. *weakens_policy* says that the file opens what its author is
    likely to have meant to close. *mend* says what to write instead.
    """

    code: str
    line: int
    column: int
    message: str
    severity: str
    clause: str
    weakens_policy: bool
    mend: str = ""

    def __str__(self) -> str:
        """Return the problem as one line of a report."""
        where = f"{self.line}:{self.column}"
        return f"{where}: {self.severity} {self.code} ({self.clause}): {self.message}"


def sentence(problem: Problem) -> str:
    """Return the message of *problem* with its end."""
    return problem.message + ("" if problem.message.endswith("?") else ".")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem; *message* has a place for what the file says there.

    *title* names the kind in a table, *mend* says what its author can do.
    """

    code: str
    clause: str
    severity: str
    title: str
    message: str
    mend: str
    weakens_policy: bool = False

    def at(self, line: int, column: int, *said: str) -> "Finding":
        """Return a finding of this kind at a place, with what the file says there."""
        return Finding(self, line, column, said)


class Finding(NamedTuple):
    """A problem before it is put into words, which takes longer than to find it.

    *said* is what the file says there, as it stands.
    """

    kind: Kind
    line: int
    column: int
    said: tuple[str, ...]

    def problem(self) -> Problem:
        """Return the problem, safe to print."""
        kind = self.kind
        return Problem(
            kind.code,
            self.line,
            self.column,
            kind.message.format(
                *(escape_control_chars(text, 60) for text in self.said)
            ),
            kind.severity,
            kind.clause,
            kind.weakens_policy,
            kind.mend,
        )
