"""Fields of robots.txt, and the kinds of its lines: one row for each.

Reader, rules, lint and the reference page take what they know of a field from its row.
To add a field, add its row to `FIELDS` and, if it has an effect, its member to `LineKind`.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

# ASCII digits alone: `float` also takes "nan", "1e3", "1_0" and digits of other scripts.
_SECONDS = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


class LineKind(Enum):
    """What a line is to the standard."""

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

    # Looked up for each line, and the hash of `Enum` is a Python function.
    __hash__ = object.__hash__


WHY_IGNORED: dict[LineKind, str] = {
    LineKind.UNKNOWN: "this dialect has no such field",
    LineKind.MALFORMED: "not of the form `field: value`",
    LineKind.ORPHAN: "no User-agent line in its record",
    LineKind.NAMELESS: "it names no robot",
    LineKind.TIMELESS: "no number of seconds",
}
"""Why a line of a kind has no effect, short enough to be printed next to the line."""

IDLE = frozenset((LineKind.BLANK, LineKind.COMMENT))
"""Kinds of lines that say nothing; every other kind has an effect or is ignored."""


class Role(Enum):
    """What the reader does with a field."""

    NAMES = "names robots"
    RULE = "closes or opens paths"
    PAUSE = "seconds between two requests"
    SITEMAP = "the URL of a sitemap"
    NONE = "nothing: no dialect has the field"

    # As above: looked up for each line.
    __hash__ = object.__hash__


_CLOSING = (Role.NAMES, Role.RULE)


@dataclass(frozen=True, slots=True)
class BadValue:
    """What becomes of a line whose value cannot be read: its kind, and the problem's code."""

    kind: LineKind
    problem: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Field:
    """A field of robots.txt.

    *dialects* are the names of the dialects that have it; `EVERY` means all of them. *read*
    turns the value of a line into what it says, and returns None for a bad value; without
    it the value is taken as written. (User-agent and rule values are read by the dialect:
    `Dialect.names` and `Dialect.paths`.) *bad_value* says what a bad value means.

    *in_record* says that a line of this field belongs to a record, and is ignored above
    all of them. *ends_names* says that a User-agent line below begins another record.
    *allows* says of a rule that it opens paths.

    *is_preference* says that it states for what pages may be used: `parser/usage.py` reads it, and
    no dialect has it.

    *effect* is what a line does, in the words of lint, with `{}` for what its value says; empty
    if lint says nothing, and None only for a field that no dialect has. *absent* is the code of
    the problem where the dialect does not have the field. *meaning* is the sentence of the
    reference.
    """

    name: str
    meaning: str
    role: Role = Role.NONE
    kind: LineKind = LineKind.UNKNOWN
    dialects: frozenset[str] = frozenset()
    read: Callable[[str], object] | None = None
    bad_value: BadValue | None = None
    in_record: bool = False
    ends_names: bool = False
    allows: bool = False
    is_preference: bool = False
    effect: str | None = None
    absent: str = "R019"

    @property
    def key(self) -> str:
        """The name as fields are compared."""
        # 1994 F4: field names compare without case.
        return self.name.lower()

    @property
    def closes(self) -> bool:
        """Whether a line of this field closes paths, or says to which robots."""
        return self.role in _CLOSING and not self.allows

    def __reduce__(self) -> tuple[Callable[[str], "Field"], tuple[str]]:
        """Pickle the name alone: there is one row of each field."""
        return _field_named, (self.key,)

    def __repr__(self) -> str:
        """Return the name, for a line shows its row."""
        return f"<Field: {self.name}>"

    def is_in(self, dialect: str) -> bool:
        """Return whether the dialect called *dialect* has the field."""
        return self.dialects is EVERY or dialect in self.dialects


def _field_named(key: str) -> Field:
    """Return the row of the field with this name in lower case."""
    return FIELD_NAMED[key]


def seconds_of(value: str) -> float | None:
    """Return the seconds of a Crawl-delay value; None if it is not a number."""
    # Ours X4: a decimal number and nothing else.
    # So many digits may be there that the number is infinite, which no timer takes.
    seconds = float(value) if _SECONDS.fullmatch(value) else math.inf
    return seconds if math.isfinite(seconds) else None


EVERY: frozenset[str] = frozenset(("*",))
"""The *dialects* of a field that is in all of them."""

_LATER = frozenset(("extended", "rfc9309"))

USER_AGENT = Field(
    "User-agent",
    "begins a record: the robot, or with `*` all robots, that the rules below are for",
    # 1994 F6, A1
    role=Role.NAMES,
    kind=LineKind.USER_AGENT,
    dialects=EVERY,
    # Ours O12: a User-agent line without a name is ignored.
    bad_value=BadValue(LineKind.NAMELESS, "R004"),
    in_record=True,
    effect="begins a record, for {}",
)
DISALLOW = Field(
    "Disallow",
    "closes what begins with the path; nothing if the value is empty",
    # 1994 F6, D1. Ours O7: a User-agent line below it begins another record.
    role=Role.RULE,
    kind=LineKind.DISALLOW,
    dialects=EVERY,
    in_record=True,
    ends_names=True,
    effect="forbids {}",
)
ALLOW = Field(
    "Allow",
    "opens what begins with the path",
    # Ours X1, X2
    role=Role.RULE,
    kind=LineKind.ALLOW,
    dialects=_LATER,
    in_record=True,
    ends_names=True,
    allows=True,
    effect="allows {}",
    absent="R016",
)

_PREFERENCE: Any = {"in_record": True, "ends_names": True, "is_preference": True}

FIELDS = (
    USER_AGENT,
    DISALLOW,
    ALLOW,
    Field(
        "Crawl-delay",
        "the seconds between two requests of the robot",
        # Ours X4; X6: a User-agent line below it names one more robot of the record.
        role=Role.PAUSE,
        kind=LineKind.CRAWL_DELAY,
        dialects=_LATER,
        read=seconds_of,
        bad_value=BadValue(LineKind.TIMELESS, "R035"),
        in_record=True,
        effect="asks for a pause of {} seconds",
        absent="R017",
    ),
    Field(
        "Sitemap",
        "the URL of a sitemap; belongs to no record",
        # Ours X7
        role=Role.SITEMAP,
        kind=LineKind.SITEMAP,
        dialects=_LATER,
        effect="",
        absent="R018",
    ),
    # In use on real sites, and in no dialect here.
    Field("ACAP-allow-crawl", "paths that publishers open (ACAP)"),
    Field("ACAP-crawler", "names a robot (ACAP)"),
    Field("ACAP-disallow-crawl", "paths that publishers close (ACAP)"),
    Field("AI-policy", "the URL of a policy about AI"),
    Field("AllowAITraining", "pages that are for training (an expired draft)"),
    Field("Cache-delay", "a pause for caches"),
    Field("Clean-param", "parameters of a query that change no page (Yandex)"),
    Field("Comment", "a remark"),
    # Usage U1: a preference belongs to a record, and ends its list of names.
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
    Field("Host-load", "requests at a time"),
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
    Field("Request-rate", "pages in so many seconds"),
    Field("Robot-version", "the version of the standard"),
    Field("Schemamap", "the URL of a map of structured data"),
    Field("TDM-policy", "the URL of terms of text and data mining"),
    Field("TDM-reservation", "whether text and data mining is reserved"),
    Field("Video-sitemap", "the URL of a sitemap of videos"),
    Field("Visit-time", "when robots may visit"),
)
"""All fields that are known by name, whether a dialect has them or not."""

_PREFERENCES = tuple(field.key for field in FIELDS if field.is_preference)


def may_state_usage(text: str) -> bool:
    """Return whether a file may state usage preferences. Most have no such field, which one search
    of the *text* shows.
    """
    lower = text.lower()
    return any(name in lower for name in _PREFERENCES)


FIELD_NAMED = {field.key: field for field in FIELDS}
"""The fields by their names in lower case."""
