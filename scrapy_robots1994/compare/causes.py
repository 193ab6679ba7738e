"""A table of the causes that make two parsers answer a question differently."""

from enum import Enum

_NOT_FOUND = (
    "No known difference between the parsers explains this answer, or the time ran out."
)


class Cause(Enum):
    """A cause that makes two parsers answer a question differently.

    The value of a member is a code for programs, and *title* is the name of the cause in
    tables. *clause* lists the clauses of the standard, and our own decisions, that define
    how our parser behaves. *evidence* is a sentence that says when both parsers agree. The
    order of the members matters. If several causes each explain an answer alone, reports
    name only the first of these causes.
    """

    STATUS = (
        "status",
        "status of the answer",
        "Ours R3 to R5",
        "our parser reads the body as the other parser does, as if the status were 200",
    )
    ITSELF = (
        "robots.txt-itself",
        "/robots.txt itself",
        "1994 M1, Ours O22",
        "the rules also apply to /robots.txt itself",
    )
    AGENT = (
        "agent-matching",
        "agent matching",
        "1994 A2, Ours O8 to O12",
        "both compare the robot's name with the names in the records in the same way",
    )
    URL_AS_PATH = (
        "url-as-path",
        "URL as a path",
        "Ours O19",
        "a rule that is an absolute URL is read as a path, which matches no URL",
    )
    ALLOW = (
        "allow",
        "Allow",
        "1994 F6, Ours O21",
        (
            "Allow lines, and an empty Disallow next to other rules, have the "
            "same meaning in both parsers"
        ),
    )
    LONGEST_MATCH = (
        "longest-match",
        "longest match",
        "1994 D1",
        "both let the longest rule decide, or both let the first rule in the file decide",
    )
    WILDCARD = (
        "wildcard",
        "wildcard or $",
        "1994 D1",
        "* and $ in a path have the same meaning in both parsers",
    )
    SPLIT_RECORD = (
        "split-record",
        "record split by a blank line",
        "1994 F1, Ours O5",
        (
            "no record contains a blank line, or a blank line has the same "
            "meaning in both parsers"
        ),
    )
    MISSPELT = (
        "misspelt-field",
        "misspelt field",
        "1994 F4, F6, Ours O14",
        (
            "misspelt fields, and lines without a colon, have the same meaning in "
            "both parsers"
        ),
    )
    JOINED = (
        "joined-records",
        "records joined",
        "1994 F6, Ours O7",
        "another field between User-agent lines has the same effect in both parsers",
    )
    EMPTY_RECORD = (
        "empty-record",
        "record without a rule",
        "Ours O3",
        "a record without a rule applies to no robot",
    )
    MERGED_RECORDS = (
        "merged-records",
        "records merged",
        "1994 A3, Ours O1, O2",
        "both obey all records that name the robot, or both obey only one",
    )
    SEVERAL_DEFAULTS = (
        "several-defaults",
        "several *",
        "1994 A3, Ours O2",
        "only the first record for * is obeyed",
    )
    PERCENT = (
        "percent-encoding",
        "percent-encoding",
        "Ours O18",
        "both compare percent-encoded paths and URLs in the same way",
    )
    ENCODING = (
        "encoding",
        "encoding",
        "Ours O16, O17, 1994 F2",
        "both decode the file, and divide it into lines, in the same way",
    )
    OTHER = ("other", "other", "", "")
    TIMEOUT = ("not-found-in-time", "not found in time", "", "")

    def __new__(cls, code: str, *_: object) -> "Cause":  # noqa: PYI034 - Self needs Python 3.11
        """Create a member whose value is *code*, by which `pickle` finds the member."""
        member = object.__new__(cls)
        member._value_ = code
        return member

    def __init__(self, _code: str, title: str, clause: str, evidence: str) -> None:
        self.title = title
        self.clause = clause
        self.evidence = (
            f"Both parsers agree when {evidence}." if evidence else _NOT_FOUND
        )
