"""A table of the causes that make two parsers answer a question differently."""

from enum import Enum


class Cause(Enum):
    """A cause that makes two parsers answer a question differently.

    The value of a member is a code for programs, and *title* is the name of the cause in
    tables. *clause* lists the clauses of the standard, and our own decisions, that define
    how our parser behaves. If each of several causes alone explains an answer, reports
    name only the cause that is listed first in this class.
    """

    STATUS = "status", "status of the answer", "Ours R3 to R5"
    ITSELF = "robots.txt-itself", "/robots.txt itself", "1994 M1, Ours O22"
    AGENT = "agent-matching", "agent matching", "1994 A2, Ours O8 to O12"
    URL_AS_PATH = "url-as-path", "rule that is a URL", "Ours O19"
    ALLOW = "allow", "Allow", "1994 F6, Ours O21"
    LONGEST_MATCH = "longest-match", "longest match", "1994 D1"
    WILDCARD = "wildcard", "wildcard or $", "1994 D1"
    SPLIT_RECORD = "split-record", "record split by a blank line", "1994 F1, Ours O5"
    MISSPELT = "misspelt-field", "misspelt field, no colon", "1994 F4, F6, Ours O14"
    JOINED = "joined-records", "other field between names", "1994 F6, Ours O7"
    EMPTY_RECORD = "empty-record", "record without a rule", "Ours O3"
    MERGED_RECORDS = "merged-records", "several records obeyed", "1994 A3, Ours O1, O2"
    SEVERAL_DEFAULTS = "several-defaults", "several records for *", "1994 A3, Ours O2"
    PERCENT = "percent-encoding", "percent-encoding", "Ours O18"
    ENCODING = "encoding", "encoding or line ends", "Ours O16, O17, 1994 F2"
    OTHER = "other", "other", ""
    TIMEOUT = "not-found-in-time", "not found in time", ""

    def __new__(cls, code: str, *_: object) -> "Cause":  # noqa: PYI034 - Self needs Python 3.11
        """Create a member whose value is *code*. `pickle` finds a member by its value."""
        member = object.__new__(cls)
        member._value_ = code
        return member

    def __init__(self, _code: str, title: str, clause: str) -> None:
        self.title = title
        self.clause = clause
