"""Causes: why two parsers differ, a closed list.

A cause is never guessed: it is assigned because a variant of the file (and, where
the URL or the robot's name is a side of it, of the question) without it makes the two
agree.
"""

from __future__ import annotations

from enum import Enum


class Cause(Enum):
    """Why two parsers answer one question differently; the value is for machines."""

    STATUS = "status"
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

    @property
    def title(self) -> str:
        """The cause in words of a table."""
        return _WORDS[self][0]

    @property
    def evidence(self) -> str:
        """The sentence that says after which change the two agreed."""
        return _WORDS[self][1]


_WORDS: dict[Cause, tuple[str, str]] = {
    Cause.STATUS: (
        "status of the answer",
        (
            "Both agree when the body is read as if the answer were 200: here the "
            "status decides, and only the other parser looks at the body."
        ),
    ),
    Cause.ITSELF: (
        "/robots.txt itself",
        "Both agree when the file and the URL have another name than /robots.txt.",
    ),
    Cause.ALLOW: (
        "Allow",
        (
            "Both agree when the lines that allow (Allow, or an empty Disallow beside "
            "others) forbid nothing and allow nothing."
        ),
    ),
    Cause.WILDCARD: (
        "wildcard or $",
        "Both agree when each * and $ of a path is an ordinary character.",
    ),
    Cause.LONGEST_MATCH: (
        "longest match",
        "Both agree when the rules of each record stand in order of their length.",
    ),
    Cause.SPLIT_RECORD: (
        "record split by a blank line",
        "Both agree when no blank line stands inside a record.",
    ),
    Cause.MERGED_RECORDS: (
        "records merged",
        "Both agree when each robot has one record and a blank line parts the records.",
    ),
    Cause.AGENT: (
        "agent matching",
        (
            "Both agree when the robot and its record have one plain name, plainly "
            "said, and all other records have names that are no part of it."
        ),
    ),
    Cause.SEVERAL_DEFAULTS: (
        "several *",
        "Both agree when all records for * are one.",
    ),
    Cause.PERCENT: (
        "percent-encoding",
        "Both agree when paths and URL have one spelling, of plain letters only.",
    ),
    Cause.ENCODING: (
        "encoding",
        "Both agree when the file is plain ASCII without a byte order mark.",
    ),
    Cause.OTHER: (
        "other",
        "None of the variants makes the two agree.",
    ),
}
