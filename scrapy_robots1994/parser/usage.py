"""Usage preferences in robots.txt: the purposes for which pages may be used.

Usage preferences never change a verdict.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

from scrapy_robots1994.errors import MissingExtra, needs_extra
from scrapy_robots1994.escaping import (
    escape_control_chars,
    percent_encode_control_chars,
)
from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser.body import decode, encode
from scrapy_robots1994.parser.dialects import DIALECTS, Dialect
from scrapy_robots1994.parser.fields import FIELDS, Field, by_name, may_state_usage
from scrapy_robots1994.parser.reader import Line, groups_of, with_pauses
from scrapy_robots1994.parser.rfc9309 import Pattern, normal_spelling, octet_count
from scrapy_robots1994.parser.said import Said

VERSIONS = "AIPREF vocab-08, attach-05"
"""The IETF drafts that this module implements. `vocab` defines the labels of Content-Usage, and
`attach` says how to write them in robots.txt and headers.
"""

USAGE_FIELD = "Content-Usage"
SIGNAL_FIELD = "Content-Signal"
LICENSE_FIELD = "License"

# Content-Signals is a common misspelling of Content-Signal.
_FIELDS = {it: it for it in (USAGE_FIELD, SIGNAL_FIELD, LICENSE_FIELD)}
_FIELDS[f"{SIGNAL_FIELD}s"] = SIGNAL_FIELD

TDM = "tdm"
"""The purpose of text and data mining (TDMRep). A page can disallow it, but robots.txt cannot."""

MAX_NOT_UNDERSTOOD = 20
"""The maximum number of values reported as not understood, per page or robots.txt."""

MAX_LENGTH = 16_384
"""In characters. Longer values of Content-Usage are not parsed, because parsing even a value of
this length takes 10 ms.
"""

MAX_WORK = 6_000_000
"""Ours O28: the maximum number of character comparisons for one URL, which take up to 20 ms. A URL
that needs more is disallowed for every purpose that the robot's records disallow for any path.
"""

# The fixed cost of one search, in character comparisons. A path of n octets takes at most n
# searches.
_CALL_WORK = 64

_SPACE = " \t"


class Answer(str, Enum):
    """Whether an owner allows a purpose."""

    ALLOW = "allow"
    DISALLOW = "disallow"
    UNSTATED = "unstated"


class Label(NamedTuple):
    """A *label* of a *field*, its *purpose*, and the values that *allow* and *disallow* that
    purpose.
    """

    field: str
    label: str
    purpose: str
    allow: str
    disallow: str

    def answer_of(self, value: str) -> Answer | None:
        """Return the answer that *value* states, or None if *value* is unknown."""
        # Usage U5: the case of a Content Signal's value does not matter.
        value = value if self.field == USAGE_FIELD else value.lower()
        return {self.allow: Answer.ALLOW, self.disallow: Answer.DISALLOW}.get(value)


LABELS = (
    # draft-ietf-aipref-vocab-08
    Label(USAGE_FIELD, "train-ai", "train-ai", "y", "n"),
    Label(USAGE_FIELD, "ai-use", "ai-use", "y", "n"),
    Label(USAGE_FIELD, "search", "search", "y", "n"),
    # Usage U7
    Label(SIGNAL_FIELD, "ai-train", "train-ai", "yes", "no"),
    Label(SIGNAL_FIELD, "ai-input", "ai-use", "yes", "no"),
    Label(SIGNAL_FIELD, "search", "search", "yes", "no"),
)

LABELS_OF: Mapping[str, Mapping[str, Label]] = {
    field: {it.label: it for it in LABELS if it.field == field}
    for field in (USAGE_FIELD, SIGNAL_FIELD)
}

USE_LABEL = "use"
"""The label of Content Signals that sets `Usage.use`."""

PURPOSES = (*dict.fromkeys(it.purpose for it in LABELS), TDM)
"""The purposes that an owner can allow or disallow."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A site owner's answer about one *purpose*.

    *term* quotes the preference, without parameters. *where* says where it was found, such as
    "robots.txt line 4", "header Content-Usage" or "meta tag mybot".
    """

    purpose: str
    answer: Answer
    term: str
    where: str

    def __str__(self) -> str:
        said = f'"{escape_control_chars(self.term, 40)}"'
        where = escape_control_chars(self.where, 80)
        return f"{self.purpose} {self.answer.value}: {said} in {where}"


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage preferences of one page for one robot.

    `usage["train-ai"]` is the answer for the purpose `train-ai`. *licenses* are the URLs of licence
    terms (RSL). *tdm_policy* is the URL of the TDMRep policy, and *use* the value of the label
    `use` of Content Signals. *licenses*, *tdm_policy* and *use* are as written. *not_understood*
    lists preferences for the page that cannot be parsed, have an unknown value, or appear before
    the first record. *read* names the sources that were read: "robots.txt", "header" or "meta".
    """

    statements: tuple[Statement, ...] = ()
    licenses: tuple[str, ...] = ()
    tdm_policy: str | None = None
    use: str | None = None
    not_understood: tuple[Said, ...] = ()
    read: tuple[str, ...] = ()

    def __getitem__(self, purpose: str) -> Answer:
        """Return the answer for *purpose*. Raise `KeyError` for an unknown purpose."""
        if purpose not in PURPOSES:
            raise KeyError(purpose)
        # Usage U8: the most restrictive statement counts.
        answers = [it.answer for it in self.statements if it.purpose == purpose]
        return max(answers, key=_RESTRICTIVE.index, default=Answer.UNSTATED)

    def forbids(self, purposes: Collection[str]) -> Statement | None:
        """Return the first statement that disallows one of *purposes*, or None."""
        for statement in self.statements:
            if statement.answer is Answer.DISALLOW and statement.purpose in purposes:
                return statement
        return None

    def for_export(self) -> "Usage":
        """Return a copy for exporters, with control characters and invalid UTF-8
        percent-encoded.
        """
        encoded = percent_encode_control_chars
        return Usage(
            tuple(replace(it, term=encoded(it.term)) for it in self.statements),
            tuple(map(encoded, self.licenses)),
            self.tdm_policy and encoded(self.tdm_policy),
            self.use and encoded(self.use),
            tuple(replace(it, term=encoded(it.term)) for it in self.not_understood),
            self.read,
        )

    def with_(self, other: "Usage") -> "Usage":
        """Return the preferences of both objects. If both have a `tdm_policy` or a `use`, the value
        from *other* counts.
        """
        return Usage(
            self.statements + other.statements,
            tuple(dict.fromkeys(self.licenses + other.licenses)),
            self.tdm_policy if other.tdm_policy is None else other.tdm_policy,
            self.use if other.use is None else other.use,
            self.not_understood + other.not_understood,
            self.read + other.read,
        )


# From the least to the most restrictive
_RESTRICTIVE = (Answer.UNSTATED, Answer.ALLOW, Answer.DISALLOW)

ROBOTS_TXT = "robots.txt"
NO_USAGE = Usage(read=(ROBOTS_TXT,))
"""The usage preferences of a page whose robots.txt states none."""


class _Preference(NamedTuple):
    """The preferences that one line states. If *pattern* is None, the line applies to all URLs."""

    field: str
    length: int = -1
    """The number of octets in the path, or -1 if the line has no path or is not understood."""
    pattern: Pattern | None = None
    statements: tuple[Statement, ...] = ()
    not_understood: tuple[Said, ...] = ()
    use: str | None = None

    def covers(self, target: str) -> bool:
        """Whether the pattern covers *target*, which must be in its normal spelling."""
        pattern = self.pattern
        return pattern is None or (
            target.startswith(pattern.first) and pattern.covers(target)
        )


class UsageRules:
    """The usage preferences of one robots.txt for one robot.

    The constructor raises `MissingExtra` if the extra `usage` is not installed, even for an empty
    file.
    """

    __slots__ = ("_general", "_licenses", "_lines", "_size")

    def __init__(self, text: str, dialect: Dialect, names: Sequence[str]) -> None:
        """*dialect* chooses the records for the robot with these *names*."""
        http_sf()
        self._lines: list[_Preference] = []
        self._licenses: tuple[str, ...] = ()
        # Most files state no preference, and searching the text is faster than parsing it.
        if may_state_usage(text):
            self._read(text, usage_dialect(dialect), names)
        paths = [it.pattern for it in self._lines if it.pattern is not None]
        self._size = sum(it.length for it in self._lines if it.pattern is not None)
        # If no line has a path, all URLs have the same preferences.
        self._general = None if paths else self._usage(self._lines)

    def _read(self, text: str, dialect: Dialect, names: Sequence[str]) -> None:
        above, *groups = groups_of(text, dialect, only_effective=True)
        chosen = dialect.choose([it.names for it in groups], names)
        lines = [line for place in chosen for line in groups[place].others]
        self._licenses = _licenses(lines) or _licenses(above.others)
        # Usage U3: the longest path decides.
        self._lines = sorted(_preferences(lines), key=lambda it: -it.length)
        for line in above.others:
            # Usage U6: these preferences apply to no robot, so they are only reported.
            if (field := field_of(line.row)) in LABELS_OF:
                where = f"robots.txt line {line.number}, which belongs to no record"
                said = (Said(line.value, where),)
                self._lines.append(_Preference(field, not_understood=said))

    def of(self, url: str | bytes) -> Usage:
        """Return the usage preferences for *url*, a URL or a path."""
        if self._general is not None:
            return self._general
        text = url if isinstance(url, str) else decode(url)
        target = normal_spelling(target_of(text))
        # Ours O28
        if (len(target) + _CALL_WORK) * self._size > MAX_WORK:
            said = [it for line in self._lines for it in line.statements]
            closing = {it.purpose: it for it in said if it.answer is Answer.DISALLOW}
            return Usage(tuple(closing.values()), self._licenses, read=(ROBOTS_TXT,))
        covering = [it for it in self._lines if it.covers(target)]
        chosen = []
        for field in LABELS_OF:
            found = [it for it in covering if it.field == field]
            # Usage U3: statements with a shorter path do not count, whatever their labels.
            chosen += [it for it in found if it.length == found[0].length]
        return self._usage(chosen)

    def _usage(self, lines: Sequence[_Preference]) -> Usage:
        # Keep equal statements only once: a hostile file may repeat them thousands of times.
        statements: dict[tuple[str, Answer, str], Statement] = {}
        for line in lines:
            for it in line.statements:
                statements.setdefault((it.purpose, it.answer, line.field), it)
        odd = [said for line in lines for said in line.not_understood]
        return Usage(
            tuple(statements.values()),
            self._licenses,
            use=next((it.use for it in lines if it.use), None),
            not_understood=tuple(odd[:MAX_NOT_UNDERSTOOD]),
            read=(ROBOTS_TXT,),
        )


def usage_dialect(dialect: Dialect) -> Dialect:
    """Return the dialect in which preferences are read if the rules are read in *dialect*."""
    # Usage U1: the draft attach-05 groups lines as RFC 9309 does, and a preference ends a list of
    # names. Usage U2: names match as in *dialect*.
    grouping = DIALECTS["rfc9309"]
    preferences = by_name(it for it in FIELDS if it.is_preference)
    return grouping._replace(
        names=dialect.names,
        rank=dialect.rank,
        merges_named=dialect.merges_named,
        fields={**grouping.fields, **preferences},
    )


def _licenses(lines: Iterable[Line]) -> tuple[str, ...]:
    values = (it.value for it in lines if field_of(it.row) == LICENSE_FIELD)
    return tuple(dict.fromkeys(filter(None, values)))


def field_of(row: Field | None) -> str:
    """Return the name of the preference field *row*, correctly spelt, or "" if it is another."""
    return _FIELDS.get(row.name, "") if row else ""


def split_path(value: str) -> tuple[str, str]:
    """Split *value* into its path ("" if it has none) and the rest."""
    if not value.startswith("/"):
        return "", value
    path, *rest = re.split("[ \t]+", value, maxsplit=1)
    return path, "".join(rest)


def _preferences(lines: Iterable[Line]) -> Iterator[_Preference]:
    for line in with_pauses(lines):
        field, where = field_of(line.row), f"robots.txt line {line.number}"
        if field not in LABELS_OF:
            continue
        path, value = split_path(line.value)
        pattern = Pattern.of(path) if path else None
        length = octet_count(path) if path else -1
        try:
            yield _Preference(
                field, length, pattern, *statements_of(field, value, where)
            )
        except ValueError:
            # Usage U4: the line has no effect, whatever its path.
            said = (Said(line.value, where),)
            yield _Preference(field, -1, pattern, not_understood=said)


def statements_of(
    field: str, value: str, where: str
) -> tuple[tuple[Statement, ...], tuple[Said, ...], str | None]:
    """Return the statements in *value*, the parts that are not understood, and the value of `use`.

    *value* does not include the path. Equal statements are returned once. Raise `ValueError` if
    *field* is Content-Usage and *value* cannot be parsed.
    """
    statements: dict[tuple[str, Answer], Statement] = {}
    odd: list[Said] = []
    use = None
    for key, answered, text in _members(field, value):
        label = LABELS_OF[field].get(key)
        # Usage U5: unknown labels are ignored.
        if label is None:
            is_use = field == SIGNAL_FIELD and key == USE_LABEL
            use = use or (answered if is_use else None)
        elif answer := label.answer_of(answered):
            said = Statement(label.purpose, answer, text, where)
            statements.setdefault((label.purpose, answer), said)
        elif len(odd) < MAX_NOT_UNDERSTOOD:
            odd.append(Said(text, where))
    return tuple(statements.values()), tuple(odd), use or None


def http_sf(user: str = "Reading usage preferences") -> Any:
    """Return the library that parses structured fields (RFC 9651).

    If it is not installed, raise `MissingExtra` with *user* in the message.
    """
    with needs_extra(user, "usage"):
        import http_sf  # noqa: PLC0415 - an extra

    return http_sf


def why_unread(text: str) -> str:
    """Return why the preferences in *text* cannot be read, or ""."""
    try:
        http_sf()
    except MissingExtra as error:
        return str(error) if may_state_usage(text) else ""
    return ""


def _members(field: str, value: str) -> Iterator[tuple[str, str, str]]:
    """Yield the key, the value and the text of each member of *value*, without parameters.

    Raise `ValueError` if *field* is Content-Usage and *value* is too long, is not a dictionary, or
    contains a date after the year 9999.
    """
    if field == SIGNAL_FIELD:
        # No document defines a grammar for Content Signals.
        for piece in value.split(","):
            key, _, answer = (it.strip(_SPACE) for it in piece.partition("="))
            if key:
                yield key.lower(), answer, piece.strip(_SPACE)
        return
    if len(value) > MAX_LENGTH:
        raise ValueError(f"it has more than {MAX_LENGTH:,} characters")
    library = http_sf()
    # RFC 9651 4.2.2: the last of several members with the same key counts.
    for key, (item, _) in library.parse(encode(value), tltype="dictionary").items():
        text = library.ser({key: (item, {})})
        yield key, text.partition("=")[2], text
