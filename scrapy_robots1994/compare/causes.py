"""Causes: why two parsers differ, a closed list.

A cause is never guessed: it is assigned because the two agree about a transformed file
(and, where the URL or the robot's name is part of the cause, a transformed question).
"""

from __future__ import annotations

from enum import Enum


class Cause(Enum):
    """Why two parsers answer one question differently; the value is for machines.

    *title* is for a table, *evidence* says after which change the two agreed, *clause*
    names the clauses of the standard and the decisions of ours that it is about.
    """

    title: str
    evidence: str
    clause: str

    def __new__(cls, value: str, title: str, evidence: str, clause: str = "") -> Cause:  # noqa: PYI034 - no Self in Python 3.10
        """Make a cause whose value is its first word."""
        made = object.__new__(cls)
        made._value_ = value
        made.title, made.evidence, made.clause = title, evidence, clause
        return made

    # fmt: off
    STATUS = (
        "status", "status of the answer",
        ("Both agree when the body is read as if the answer were 200: here the status decides, "
         "and only the other parser looks at the body."), "Ours R3 to R5")
    SHARED_HOST = (
        "shared-host", "one policy for a host and port",
        ("Both agree when ours reads the file that the built-in middleware uses: the first that "
         "was fetched for this host and port, whatever the scheme."))
    ITSELF = (
        "robots.txt-itself", "/robots.txt itself",
        "Both agree when the file and the URL have another name than /robots.txt.",
        "1994 M1, Ours O22")
    ALLOW = (
        "allow", "Allow",
        ("Both agree when the lines that allow (Allow, or an empty Disallow next to others) "
         "forbid nothing and allow nothing."), "1994 F6, Ours O21")
    WILDCARD = (
        "wildcard", "wildcard or $",
        "Both agree when each * and $ of a path is an ordinary character.", "1994 D1")
    LONGEST_MATCH = (
        "longest-match", "longest match",
        "Both agree when the rules of each record stand in order of their length.", "1994 D1")
    SPLIT_RECORD = (
        "split-record", "record split by a blank line",
        "Both agree when no blank line stands inside a record.", "1994 F1, Ours O5")
    MERGED_RECORDS = (
        "merged-records", "records merged",
        "Both agree when each robot has one record and a blank line separates the records.",
        "1994 F1, Ours O1")
    AGENT = (
        "agent-matching", "agent matching",
        ("Both agree when the robot and its record have one plain name, and all other records "
         "have names that are not part of it."), "1994 A2, Ours O8")
    SEVERAL_DEFAULTS = (
        "several-defaults", "several *",
        "Both agree when all records for * are one.", "1994 A3, Ours O2")
    PERCENT = (
        "percent-encoding", "percent-encoding",
        "Both agree when paths and URL have one spelling, of plain letters only.", "Ours O18")
    ENCODING = (
        "encoding", "encoding",
        "Both agree when the file is plain ASCII without a byte order mark.", "Ours O16, O17")
    OTHER = "other", "other", "None of the transformed files makes the two agree."
    TIMEOUT = "not-found-in-time", "not found in time", "The search for the cause took too long."
