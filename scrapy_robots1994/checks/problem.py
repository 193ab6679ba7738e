"""Problems: what the author of a file should know about it, as values.

`kinds.py` has the table of all kinds of problems; `lines.py`, `records.py` and `run.py`
find them.
"""

from dataclasses import dataclass
from typing import NamedTuple

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
    *weakens_policy* says that the file opens what its author likely meant to close.
    """

    code: str
    line: int
    column: int
    message: str
    severity: str
    clause: str
    weakens_policy: bool
    fix: str = ""

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
    weakens_policy: bool = False

    def at(self, line: int, column: int, *texts: str) -> "Match":
        """Return a match of this kind at a place, with what the file has there."""
        return Match(self, line, column, texts)


class Match(NamedTuple):
    """A problem before it is put into words, which takes longer than to find it.

    *fix* takes the place of the check's own, if it is not empty. *meant* are the robots
    that the author of a wrong User-agent line likely meant. *is_harmless* says that
    this match does not weaken the policy, though its kind may.
    """

    check: Check
    line: int
    column: int
    texts: tuple[str, ...]
    fix: str = ""
    meant: tuple[str, ...] = ()
    is_harmless: bool = False

    @property
    def weakens_policy(self) -> bool:
        """Whether it opens what the author of the file likely meant to close."""
        return self.check.weakens_policy and not self.is_harmless

    def problem(self) -> Problem:
        """Return the problem, safe to print."""
        check = self.check
        shown = (escape_control_chars(text, _QUOTED_CHARACTERS) for text in self.texts)
        return Problem(
            check.code,
            self.line,
            self.column,
            check.message.format(*shown),
            check.severity,
            check.clause,
            self.weakens_policy,
            self.fix or check.fix,
        )
