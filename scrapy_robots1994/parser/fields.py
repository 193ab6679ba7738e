"""The fields of robots.txt and the kinds of its lines. Each field is one row of `FIELDS`.

The reader, the rules, lint and the reference page take all facts about a field from the row
of the field. To add a field, add a row to `FIELDS`. If the field has an effect, also add a
member to `LineKind`.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

# Accept only ASCII digits and a decimal point, because `float` also accepts "nan", "1e3",
# "1_0" and digits of other scripts.
_SECONDS = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


class LineKind(Enum):
    """The kind of a line. A line is blank, is a comment, has a field of the dialect, or is
    ignored for one of several reasons.
    """

    BLANK = "blank"
    COMMENT = "comment"
    USER_AGENT = "user-agent"
    DISALLOW = "disallow"
    ALLOW = "allow"
    CRAWL_DELAY = "crawl-delay"
    SITEMAP = "sitemap"
    UNKNOWN = "unknown"
    MALFORMED = "malformed"
    ORPHAN = "orphan"
    NAMELESS = "nameless"
    TIMELESS = "timeless"

    # Use the hash of `object`, because the hash of `Enum` is a slow Python function. The
    # reader looks up a kind for each line.
    __hash__ = object.__hash__


WHY_IGNORED: dict[LineKind, str] = {
    LineKind.UNKNOWN: "this dialect has no such field",
    LineKind.MALFORMED: "not of the form `field: value`",
    LineKind.ORPHAN: "no User-agent line in its record",
    LineKind.NAMELESS: "it names no robot",
    LineKind.TIMELESS: "no number of seconds",
}
"""The reason why lines of each ignored kind have no effect. Each reason is short enough to
be printed next to the line.
"""

IDLE = frozenset((LineKind.BLANK, LineKind.COMMENT))
"""The kinds of lines that contain only white space or a comment. A line of any other kind
either has an effect or is ignored.
"""


class Role(Enum):
    """The role of a field. The reader treats a line according to the role of its field."""

    NAMES = "names robots"
    RULE = "closes or opens paths"
    PAUSE = "seconds between two requests"
    SITEMAP = "the URL of a sitemap"
    NONE = "nothing: no dialect has the field"

    # Use the hash of `object`, because the hash of `Enum` is a slow Python function. The
    # reader looks up a role for each line.
    __hash__ = object.__hash__


_CLOSING = (Role.NAMES, Role.RULE)


@dataclass(frozen=True, slots=True, repr=False)
class Field:
    """A field of robots.txt.

    *dialects* are the names of the dialects that have the field. `EVERY` means all
    dialects. *read* is a function that returns the meaning of a value, or None for a bad
    value. If *read* is None, the value is taken as written. `Dialect.names` and
    `Dialect.paths` read the values of User-agent lines and of rules. *bad_value* is the
    kind of a line with a bad value.

    If *in_record* is `True`, a line with this field belongs to a record, and is ignored
    above the first record. If *ends_names* is `True`, a User-agent line below a line with
    this field begins another record. *allows* is `True` if the field is a rule that allows
    paths.

    *is_preference* is `True` if the field states usage preferences. No dialect in
    `DIALECTS` has a field that states usage preferences. `parser/usage.py` makes a dialect
    that has the preference fields.

    *effect* says in a report what a line does; its value replaces `{}`. It is None for a
    field that no dialect in `DIALECTS` has. *meaning* is for the reference.
    """

    name: str
    meaning: str
    role: Role = Role.NONE
    kind: LineKind = LineKind.UNKNOWN
    dialects: frozenset[str] = frozenset()
    read: Callable[[str], object] | None = None
    bad_value: LineKind | None = None
    in_record: bool = False
    ends_names: bool = False
    allows: bool = False
    is_preference: bool = False
    effect: str | None = None

    @property
    def key(self) -> str:
        """The name in lower case, which identifies the field."""
        # 1994 F4 (field names): field names are case-insensitive.
        return self.name.lower()

    @property
    def bad_kind(self) -> LineKind:
        """The kind of a line with a bad value."""
        return self.bad_value or self.kind

    @property
    def closes(self) -> bool:
        """Whether a line with the field can disallow paths, or can name the robots for
        which paths are disallowed.
        """
        return self.role in _CLOSING and not self.allows

    def __repr__(self) -> str:
        """Return a short text, because the `repr` of each `Line` contains it."""
        return f"<Field: {self.name}>"

    def is_in(self, dialect: str) -> bool:
        """Return whether the dialect with the name *dialect* has the field."""
        return self.dialects == EVERY or dialect in self.dialects


def seconds_of(value: str) -> float | None:
    """Return the seconds in the *value* of a Crawl-delay line, or None if *value* is not a
    number.
    """
    # Ours X4 (Crawl-delay): only a decimal number is a good value. Reject infinity, because
    # `float` returns infinity for a number with hundreds of digits, and a timer cannot use
    # infinity.
    seconds = float(value) if _SECONDS.fullmatch(value) else math.inf
    return seconds if math.isfinite(seconds) else None


EVERY: frozenset[str] = frozenset(("*",))
"""The value of `Field.dialects` for a field that every dialect has."""

_LATER = frozenset(("extended", "rfc9309"))

USER_AGENT = Field(
    "User-agent",
    "begins a record, and names the robot to which the rules below apply (`*` for all "
    "robots)",
    # 1994 F6 (fields) and A1 (User-agent) define this field.
    role=Role.NAMES,
    kind=LineKind.USER_AGENT,
    dialects=EVERY,
    # Ours O12 (no name): a User-agent line without a name is ignored.
    bad_value=LineKind.NAMELESS,
    in_record=True,
    effect="begins a record, for {}",
)
DISALLOW = Field(
    "Disallow",
    "disallows the paths that begin with its value; an empty value disallows nothing",
    # 1994 F6 (fields) and D1 (value of Disallow) define this field. Ours O7 (run of
    # names): a User-agent line below a rule begins another record.
    role=Role.RULE,
    kind=LineKind.DISALLOW,
    dialects=EVERY,
    in_record=True,
    ends_names=True,
    effect="forbids {}",
)
ALLOW = Field(
    "Allow",
    "allows the paths that begin with its value",
    # Ours X1 and X2 (Allow) define this field.
    role=Role.RULE,
    kind=LineKind.ALLOW,
    dialects=_LATER,
    in_record=True,
    ends_names=True,
    allows=True,
    effect="allows {}",
)

_PREFERENCE: Any = {"in_record": True, "ends_names": True, "is_preference": True}

FIELDS = (
    USER_AGENT,
    DISALLOW,
    ALLOW,
    Field(
        "Crawl-delay",
        "the number of seconds between two requests of the robot",
        # Ours X4 (Crawl-delay) defines this field. Ours X6 (order): a User-agent line
        # below a Crawl-delay adds another name to the record.
        role=Role.PAUSE,
        kind=LineKind.CRAWL_DELAY,
        dialects=_LATER,
        read=seconds_of,
        bad_value=LineKind.TIMELESS,
        in_record=True,
        effect="asks for a pause of {} seconds",
    ),
    Field(
        "Sitemap",
        "the URL of a sitemap; belongs to no record",
        # Ours X7 (Sitemap): a Sitemap line does not belong to any record.
        role=Role.SITEMAP,
        kind=LineKind.SITEMAP,
        dialects=_LATER,
        effect="names a sitemap",
    ),
    # Real sites use the following fields, but no dialect in `DIALECTS` has any of them.
    Field("ACAP-allow-crawl", "paths that publishers open (ACAP)"),
    Field("ACAP-crawler", "names a robot (ACAP)"),
    Field("ACAP-disallow-crawl", "paths that publishers close (ACAP)"),
    Field("AI-policy", "the URL of a policy about AI"),
    Field("AllowAITraining", "pages that are for training (an expired draft)"),
    Field("Cache-delay", "a pause for caches"),
    Field("Clean-param", "query parameters that do not affect the page (Yandex)"),
    Field("Comment", "a remark"),
    # Usage U1 (groups): a preference belongs to a record, and ends the list of names in the
    # record.
    *(
        Field(name, f"for what pages may be used ({who})", **_PREFERENCE)
        for name, who in (
            ("Content-Signal", "Cloudflare"),
            ("Content-Signals", "Cloudflare; misspelt"),
            ("Content-Usage", "IETF AIPREF"),
        )
    ),
    Field("Contact", "how to reach the owner"),
    Field("DaumWebMasterTool", "a proof of ownership (Daum)"),
    Field("DisallowAITraining", "pages that are not for training (an expired draft)"),
    Field("Host", "the main host of a site (Yandex)"),
    Field("Host-load", "the number of requests at a time"),
    Field("Image-sitemap", "the URL of a sitemap of images"),
    Field("Indexpage", "names of index pages"),
    Field("License", "the URL of licence terms (RSL)", is_preference=True),
    Field("LLM-Policy", "what language models may do"),
    Field("LLMs-txt", "the URL of an llms.txt"),
    Field("News-sitemap", "the URL of a sitemap of news"),
    Field("Noarchive", "pages of which no copy is to be shown"),
    Field("Nofollow", "pages whose links are not to be followed"),
    Field("Noindex", "pages that are not to be indexed"),
    Field("Nosnippet", "pages of which no text is to be shown"),
    Field("Policy", "the URL of a policy"),
    Field("Request-rate", "the number of pages in a period"),
    Field("Robot-version", "the version of the standard"),
    Field("Schemamap", "the URL of a map of structured data"),
    Field("TDM-policy", "the URL of terms of text and data mining"),
    Field("TDM-reservation", "whether text and data mining is reserved"),
    Field("Video-sitemap", "the URL of a sitemap of videos"),
    Field("Visit-time", "when robots may visit"),
)
"""All known fields, including fields that no dialect has."""

_PREFERENCES = tuple(field.key for field in FIELDS if field.is_preference)


def may_state_usage(text: str) -> bool:
    """Return whether the *text* of a file contains the name of a field that states usage
    preferences.

    Most files do not contain the name of a preference field, and searching the text is
    faster than parsing it.
    """
    lower = text.lower()
    return any(name in lower for name in _PREFERENCES)


FIELD_NAMED = {field.key: field for field in FIELDS}
"""All known fields. The key of each field is the name of the field in lower case."""
