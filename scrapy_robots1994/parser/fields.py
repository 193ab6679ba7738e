"""The fields of robots.txt, each a row of `FIELDS`, and the kinds of lines.

A field that belongs to a dialect also needs a member of `LineKind`.
"""

import math
import re
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple

# Unlike `float`, rejects "nan", "1e3", "1_0" and the digits of other scripts.
_SECONDS = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"


class LineKind(Enum):
    """The kind of a line: blank, a comment, a field of the dialect, or ignored. Each reason for
    ignoring a line has a kind of its own.
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

    # Enum's own hash is a slow Python function.
    __hash__ = object.__hash__


WHY_IGNORED: dict[LineKind, str] = {
    LineKind.UNKNOWN: "this dialect has no such field",
    LineKind.MALFORMED: "not of the form `field: value`",
    LineKind.ORPHAN: "no User-agent line in its record",
    LineKind.NAMELESS: "it names no robot",
    LineKind.TIMELESS: "not a number of seconds",
}

IDLE = frozenset((LineKind.BLANK, LineKind.COMMENT))
"""The kinds of lines that contain at most a comment."""


class Role(Enum):
    NAMES = "names robots"
    RULE = "disallows or allows paths"
    PAUSE = "seconds between two requests"
    SITEMAP = "the URL of a sitemap"
    NONE = "nothing: no dialect has the field"

    # As in `LineKind`
    __hash__ = object.__hash__


class Field(NamedTuple):
    name: str
    # The description in lint messages and on the reference page
    meaning: str
    role: Role = Role.NONE
    kind: LineKind = LineKind.UNKNOWN
    # Names of the dialects that have the field
    dialects: frozenset[str] = frozenset()
    # Returns the parsed value, or None if the value is bad. Without `read`, values are used as
    # written. User-agent lines and rules are parsed by `Dialect.names` and `Dialect.paths` instead.
    read: Callable[[str], object] | None = None
    # The kind of a line whose value is bad
    bad_kind: LineKind | None = None
    # Whether a line with this field belongs to a record
    in_record: bool = False
    # Whether a User-agent line below a line with this field begins a new record
    ends_names: bool = False
    allows: bool = False
    # Whether the field is only for usage preferences (`parser/usage.py`)
    is_preference: bool = False
    # The effect of a line, with `{}` for its value, or None if no dialect has the field
    effect: str | None = None

    @property
    def key(self) -> str:
        # 1994 F4
        return self.name.lower()

    @property
    def closes(self) -> bool:
        """Whether ignoring a line with this field may allow more paths."""
        return self.role in (Role.NAMES, Role.RULE) and not self.allows

    def __repr__(self) -> str:
        return f"<Field: {self.name}>"


def seconds_of(value: str) -> float | None:
    """Return the *value* of a Crawl-delay line in seconds, or None if it is malformed."""
    # Ours X4. `float` turns a number with hundreds of digits into infinity, so reject infinity too.
    seconds = float(value) if re.fullmatch(_SECONDS, value) else math.inf
    return seconds if math.isfinite(seconds) else None


EVERY = frozenset(("1994", "revisited", "extended", "rfc9309"))
_LATER = frozenset(("extended", "rfc9309"))

USER_AGENT = Field(
    "User-agent",
    "begins a record, and names the robot to which the rules below apply (`*` for all "
    "robots)",
    # 1994 F6, A1
    role=Role.NAMES,
    kind=LineKind.USER_AGENT,
    dialects=EVERY,
    # Ours O12
    bad_kind=LineKind.NAMELESS,
    in_record=True,
    effect="begins a record, for {}",
)
DISALLOW = Field(
    "Disallow",
    "disallows the paths that begin with its value; an empty value disallows nothing",
    # 1994 F6, D1, Ours O7
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
    # Ours X1, X2
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
        "the number of seconds between two requests from the robot",
        # Ours X4, X6
        role=Role.PAUSE,
        kind=LineKind.CRAWL_DELAY,
        dialects=_LATER,
        read=seconds_of,
        bad_kind=LineKind.TIMELESS,
        in_record=True,
        effect="asks for a pause of {} s",
    ),
    Field(
        "Sitemap",
        "the URL of a sitemap; belongs to no record",
        # Ours X7
        role=Role.SITEMAP,
        kind=LineKind.SITEMAP,
        dialects=_LATER,
        effect="names a sitemap",
    ),
    # Real files contain the following fields, but no dialect in `DIALECTS` has them.
    Field("ACAP-allow-crawl", "paths that robots may crawl (ACAP)"),
    Field("ACAP-crawler", "names a robot (ACAP)"),
    Field("ACAP-disallow-crawl", "paths that robots must not crawl (ACAP)"),
    Field("AI-policy", "the URL of a policy about AI"),
    Field("AllowAITraining", "pages that AI may be trained on (expired draft)"),
    Field("Cache-delay", "a pause for caches"),
    Field("Clean-param", "query parameters that do not affect the page (Yandex)"),
    Field("Comment", "a remark"),
    # Usage U1
    *(
        Field(name, f"what pages may be used for ({who})", **_PREFERENCE)
        for name, who in (
            ("Content-Signal", "Cloudflare"),
            ("Content-Signals", "Cloudflare; misspelt"),
            ("Content-Usage", "IETF AIPREF"),
        )
    ),
    Field("Contact", "how to reach the owner"),
    Field("DaumWebMasterTool", "a proof of ownership (Daum)"),
    Field("DisallowAITraining", "pages that AI must not be trained on (expired draft)"),
    Field("Host", "the main host of a site (Yandex)"),
    Field("Host-load", "the number of simultaneous requests"),
    Field("Image-sitemap", "the URL of an image sitemap"),
    Field("Indexpage", "names of index pages"),
    Field("License", "the URL of licence terms (RSL)", is_preference=True),
    Field("LLM-Policy", "what language models may do"),
    Field("LLMs-txt", "the URL of an llms.txt"),
    Field("News-sitemap", "the URL of a news sitemap"),
    Field("Noarchive", "pages whose cached copy must not be shown"),
    Field("Nofollow", "pages whose links must not be followed"),
    Field("Noindex", "pages that must not be indexed"),
    Field("Nosnippet", "pages whose text must not be quoted"),
    Field("Policy", "the URL of a policy"),
    Field("Request-rate", "the number of pages in a period"),
    Field("Robot-version", "the version of the standard"),
    Field("Schemamap", "the URL of a map of structured data"),
    Field("TDM-policy", "the URL of the terms for text and data mining"),
    Field("TDM-reservation", "whether text and data mining rights are reserved"),
    Field("Video-sitemap", "the URL of a video sitemap"),
    Field("Visit-time", "when robots may visit"),
)
"""All known fields, including those that no dialect has."""

_PREFERENCES = tuple(field.key for field in FIELDS if field.is_preference)


def by_name(fields: Iterable[Field]) -> dict[str, Field]:
    """Map the name of each field, both in lower case and as usually written, to the field."""
    return {name: field for field in fields for name in (field.key, field.name)}


def may_state_usage(text: str) -> bool:
    lower = text.lower()
    return any(name in lower for name in _PREFERENCES)


FIELD_NAMED = {field.key: field for field in FIELDS}
