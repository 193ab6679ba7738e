"""Causes: why two parsers differ, a closed list.

A cause is never guessed: it is assigned because the two agree about a transformed file
(and, where the URL or the robot's name is part of the cause, a transformed question).
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Cause(Enum):
    """Why two parsers answer one question differently; the value is for machines."""

    STATUS = "status"
    SHARED_HOST = "shared-host"
    ITSELF = "robots.txt-itself"
    ALLOW = "allow"
    WILDCARD = "wildcard"
    LONGEST_MATCH = "longest-match"
    SPLIT_RECORD = "split-record"
    MERGED_RECORDS = "merged-records"
    AGENT = "agent-matching"
    SEVERAL_DEFAULTS = "several-defaults"
    PERCENT = "percent-encoding"
    ENCODING = "encoding"
    OTHER = "other"
    TIMEOUT = "not-found-in-time"

    @property
    def title(self) -> str:
        """The cause in words of a table."""
        return _WORDS[self].title

    @property
    def evidence(self) -> str:
        """The sentence that says after which change the two agreed."""
        return _WORDS[self].evidence

    @property
    def clause(self) -> str:
        """The clauses of the standard, and the decisions of ours, that it is about."""
        return _WORDS[self].clause


class _Words(NamedTuple):
    """What people read of a cause."""

    title: str
    evidence: str
    clause: str = ""


_WORDS: dict[Cause, _Words] = {
    Cause.STATUS: _Words(
        "status of the answer",
        "Both agree when the body is read as if the answer were 200: here the status "
        "decides, and only the other parser looks at the body.",
        "Ours R3 to R5",
    ),
    Cause.SHARED_HOST: _Words(
        "one policy for a host and port",
        "Both agree when ours reads the file that the built-in middleware uses: the "
        "first that was fetched for this host and port, whatever the scheme.",
    ),
    Cause.ITSELF: _Words(
        "/robots.txt itself",
        "Both agree when the file and the URL have another name than /robots.txt.",
        "1994 M1, Ours O22",
    ),
    Cause.ALLOW: _Words(
        "Allow",
        "Both agree when the lines that allow (Allow, or an empty Disallow next to "
        "others) forbid nothing and allow nothing.",
        "1994 F6, Ours O21",
    ),
    Cause.WILDCARD: _Words(
        "wildcard or $",
        "Both agree when each * and $ of a path is an ordinary character.",
        "1994 D1",
    ),
    Cause.LONGEST_MATCH: _Words(
        "longest match",
        "Both agree when the rules of each record stand in order of their length.",
        "1994 D1",
    ),
    Cause.SPLIT_RECORD: _Words(
        "record split by a blank line",
        "Both agree when no blank line stands inside a record.",
        "1994 F1, Ours O5",
    ),
    Cause.MERGED_RECORDS: _Words(
        "records merged",
        "Both agree when each robot has one record and a blank line separates the "
        "records.",
        "1994 F1, Ours O1",
    ),
    Cause.AGENT: _Words(
        "agent matching",
        "Both agree when the robot and its record have one plain name, and all other "
        "records have names that are not part of it.",
        "1994 A2, Ours O8",
    ),
    Cause.SEVERAL_DEFAULTS: _Words(
        "several *",
        "Both agree when all records for * are one.",
        "1994 A3, Ours O2",
    ),
    Cause.PERCENT: _Words(
        "percent-encoding",
        "Both agree when paths and URL have one spelling, of plain letters only.",
        "Ours O18",
    ),
    Cause.ENCODING: _Words(
        "encoding",
        "Both agree when the file is plain ASCII without a byte order mark.",
        "Ours O16, O17",
    ),
    Cause.OTHER: _Words("other", "None of the transformed files makes the two agree."),
    Cause.TIMEOUT: _Words(
        "not found in time", "The search for the cause took too long."
    ),
}
