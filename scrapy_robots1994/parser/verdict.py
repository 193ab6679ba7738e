"""Verdict: allowed or not, and because of which record and which line, or why no record
applied.
"""

from dataclasses import dataclass, replace
from enum import Enum

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser.records import Record


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
    record that holds the rule, else the first one that applied, else None. In a pickle
    *record* keeps of its rules that one alone, and *explain* says the same.
    """

    allowed: bool
    reason: Reason
    line: int | None = None
    rule: str | None = None
    record: Record | None = None

    def __reduce__(self) -> tuple[type["Verdict"], tuple[object, ...]]:
        """Pickle what explains the verdict.

        In the meta of a request that is asked again it goes to disk, or to Redis: a
        thousand requests would take the thousands of rules of a record a thousand
        times.
        """
        record = self.record
        if record is not None:
            here = self.line, self.rule
            rules = (rule for rule in record.rules if (rule.line, rule.value) == here)
            record = replace(record, rules=tuple(rules), delays=())
        return Verdict, (self.allowed, self.reason, self.line, self.rule, record)

    def __copy__(self) -> "Verdict":
        """Nothing of a verdict can be changed, so a copy is the verdict itself."""
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> "Verdict":
        """As `__copy__`."""
        return self

    def explain(self) -> str:
        """Return the verdict as one sentence that is safe to print."""
        return f"{'allowed' if self.allowed else 'disallowed'}{self._because()}"

    __str__ = explain

    def _because(self) -> str:
        """Return the part of the sentence that tells why."""
        if self.record is None:
            return f": {_WITHOUT_RECORD.get(self.reason, self.reason.value)}"
        names = " and ".join(
            f'"{escape_control_chars(name, 60)}"' for name in self.record.names
        )
        whose = f"the record for {escape_control_chars(names, 200)} (line {self.record.first_line})"
        if self.rule is None:
            return f": no rule of {whose} covers the URL"
        field = "Allow" if self.allowed else "Disallow"
        by = (
            f' by line {self.line}, "{escape_control_chars(f"{field}: {self.rule}")}", '
        )
        if self.reason is Reason.SPLIT_RECORD:
            return f"{by}which a blank line parts from {whose}"
        return f"{by}of {whose}"
