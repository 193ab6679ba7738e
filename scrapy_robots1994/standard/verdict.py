"""Verdict: allowed or not, and because of which record and which line, or why no record
applied.
"""

from dataclasses import dataclass
from enum import Enum

from scrapy_robots1994.printable import printable
from scrapy_robots1994.standard.records import Record


class Reason(Enum):
    """Why a verdict is what it is."""

    RULE = "rule"
    SPLIT_RECORD = "split-record"
    NO_RULE = "no-rule"
    NO_RECORD = "no-record"
    EMPTY = "empty"
    ROBOTS_TXT = "robots.txt-itself"
    ABSENT = "absent"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"
    CANCELLED = "cancelled"


_WITHOUT_RECORD = {
    Reason.NO_RECORD: "no record of robots.txt is for this robot",
    Reason.EMPTY: "robots.txt holds no record",
    Reason.ROBOTS_TXT: "robots.txt itself may always be retrieved",
    Reason.ABSENT: "the site has no robots.txt",
    Reason.FORBIDDEN: "access to robots.txt was refused",
    Reason.UNREACHABLE: "robots.txt could not be retrieved",
    Reason.CANCELLED: "the fetch of robots.txt was cancelled",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to "may this robot retrieve this URL", and where it comes from.

    *line* (from 1) and *rule* (as written) are those of the shortest rule that covers
    the URL (in the extended dialect: the first), None when none does; *record* is the
    record that holds the rule, else the first one that applied, else None.
    """

    allowed: bool
    reason: Reason
    line: int | None = None
    rule: str | None = None
    record: Record | None = None

    def explain(self) -> str:
        """Return the verdict as one sentence that is safe to print."""
        return f"{'allowed' if self.allowed else 'disallowed'}{self._because()}"

    __str__ = explain

    def _because(self) -> str:
        """Return the part of the sentence that tells why."""
        if self.record is None:
            return f": {_WITHOUT_RECORD.get(self.reason, self.reason.value)}"
        names = " and ".join(f'"{printable(name, 60)}"' for name in self.record.names)
        whose = (
            f"the record for {printable(names, 200)} (line {self.record.first_line})"
        )
        if self.rule is None:
            return f": no rule of {whose} covers the URL"
        field = "Allow" if self.allowed else "Disallow"
        by = f' by line {self.line}, "{printable(f"{field}: {self.rule}")}", '
        if self.reason is Reason.SPLIT_RECORD:
            return f"{by}which a blank line parts from {whose}"
        return f"{by}of {whose}"
