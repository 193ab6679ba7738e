"""Usage preferences: statements of a site owner about the use of the pages of the site.

The parser reads usage preferences, but does not enforce them. A usage preference never
changes a verdict. The setting `ROBOTS1994_USAGE` determines whether a crawl ignores,
reports or obeys usage preferences. `LABELS` contains a row for each label that is
understood, and `VERSIONS` names the IETF drafts that define labels.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from scrapy_robots1994.escaping import (
    escape_control_chars,
    percent_encode_control_chars,
)
from scrapy_robots1994.origin import head_of, target_behind
from scrapy_robots1994.parser.body import decode
from scrapy_robots1994.parser.dialects import DIALECTS, Dialect
from scrapy_robots1994.parser.fields import may_state_usage
from scrapy_robots1994.parser.reader import Group, Line, groups_of, with_pauses
from scrapy_robots1994.parser.rfc9309 import Pattern, normal_spelling
from scrapy_robots1994.parser.said import Said
from scrapy_robots1994.parser.structured import Member, NotADictionaryError, members_of

VERSIONS = "AIPREF vocab-08, attach-05"
"""The IETF drafts that define the labels and the grouping of lines. The IETF can still
change the drafts.
"""

USAGE_FIELD = "Content-Usage"
SIGNAL_FIELD = "Content-Signal"
LICENSE_FIELD = "License"

TDM = "tdm"

MAX_NOT_UNDERSTOOD = 20
"""The maximum number of unreadable values that are reported for a page or a robots.txt."""

_SPACE = " \t"
MAX_WORK = 10_000_000
"""Ours O28 (bounded matching): the maximum number of character comparisons for one URL.
The maximum number of comparisons takes about 15 ms. If a URL needs more comparisons, its
usage disallows every purpose that a line in the robot's records disallows for at least
one path.
"""

# A search in a text counts as this number of character comparisons, in addition to the
# comparisons themselves, because each call takes some time.
_CALL_WORK = 800


class Answer(str, Enum):
    """The answer of a site owner for a purpose. A purpose with the answer `UNSTATED` is
    neither allowed nor disallowed.
    """

    ALLOW = "allow"
    DISALLOW = "disallow"
    UNSTATED = "unstated"


class Label(NamedTuple):
    """A label in a field. *purpose* is the purpose of the label, and *answers* maps each
    value of the label to the answer that the value states.
    """

    field: str
    label: str
    purpose: str
    answers: Mapping[str, Answer]

    def answer_of(self, value: str) -> Answer | None:
        """Return the answer that *value* states, or None if *value* is not understood."""
        # Usage U5 (labels): the values of Content Signals are case-insensitive.
        is_strict = self.field == USAGE_FIELD
        return self.answers.get(value if is_strict else value.lower())


_LETTERS = MappingProxyType({"y": Answer.ALLOW, "n": Answer.DISALLOW})
_WORDS = MappingProxyType({"yes": Answer.ALLOW, "no": Answer.DISALLOW})

LABELS = (
    # draft-ietf-aipref-vocab-08
    Label(USAGE_FIELD, "train-ai", "train-ai", _LETTERS),
    Label(USAGE_FIELD, "ai-use", "ai-use", _LETTERS),
    Label(USAGE_FIELD, "search", "search", _LETTERS),
    # Usage U7 (Content Signals): Content Signals and AIPREF use different names for the
    # labels for training and input. The meanings of the labels are similar, but not
    # identical.
    Label(SIGNAL_FIELD, "ai-train", "train-ai", _WORDS),
    Label(SIGNAL_FIELD, "ai-input", "ai-use", _WORDS),
    Label(SIGNAL_FIELD, "search", "search", _WORDS),
)
"""Every label that is read, with its field."""

PURPOSES = (*dict.fromkeys(it.purpose for it in LABELS), TDM)
"""The purposes for which an owner can allow or disallow the use of pages. The purpose
`tdm` is text and data mining (TDMRep).
"""

# Map each known spelling of a field name to the correct spelling. Content-Signals is a
# common misspelling of Content-Signal.
_FIELDS = {it: it for it in (USAGE_FIELD, SIGNAL_FIELD, LICENSE_FIELD)}
_FIELDS[f"{SIGNAL_FIELD}s"] = SIGNAL_FIELD

USE_LABEL = "use"
"""The label of Content Signals whose value is stored, as written, in `Usage.use`."""

LABELS_OF: Mapping[str, Mapping[str, Label]] = {
    field: {it.label: it for it in LABELS if it.field == field}
    for field in (USAGE_FIELD, SIGNAL_FIELD)
}
"""The labels of each field. The inner keys are the names of the labels."""


@dataclass(frozen=True, slots=True)
class Statement:
    """The *answer* of a site owner for one *purpose*. *term* is the preference as written.
    *where* describes the place of the term, such as "robots.txt line 4", "header
    Content-Usage" or "meta tag mybot".
    """

    purpose: str
    answer: Answer
    term: str
    where: str

    def __str__(self) -> str:
        """Return the statement as text that is safe to print."""
        said = f'"{escape_control_chars(self.term, 40)}"'
        where = escape_control_chars(self.where, 80)
        return f"{self.purpose} {self.answer.value}: {said} in {where}"


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage preferences of one page for one robot.

    `usage["train-ai"]` is the answer for the purpose `train-ai`. *licenses* are the URLs of
    licence terms (RSL). *tdm_policy* is the URL of the TDMRep policy. *use* is the value of
    the label `use` of Content Signals. *licenses*, *tdm_policy* and *use* are as written.
    *not_understood* contains the values of known labels and fields that could not be read.
    *read* contains the names of the sources that were read: "robots.txt", "header" or
    "meta".
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
        # Usage U8 (several statements): the most restrictive statement applies.
        answers = {it.answer for it in self.statements if it.purpose == purpose}
        for answer in (Answer.DISALLOW, Answer.ALLOW):
            if answer in answers:
                return answer
        return Answer.UNSTATED

    def forbids(self, purposes: Collection[str]) -> Statement | None:
        """Return the first statement that disallows one of *purposes*, or None if there is
        no such statement.
        """
        for statement in self.statements:
            if statement.answer is Answer.DISALLOW and statement.purpose in purposes:
                return statement
        return None

    def for_export(self) -> "Usage":
        """Return an equivalent usage whose strings can be written in every format.

        Control characters, and bytes that are not UTF-8, are percent-encoded.
        """
        encode = percent_encode_control_chars
        return Usage(
            tuple(replace(it, term=encode(it.term)) for it in self.statements),
            tuple(map(encode, self.licenses)),
            self.tdm_policy and encode(self.tdm_policy),
            self.use and encode(self.use),
            tuple(replace(it, term=encode(it.term)) for it in self.not_understood),
            self.read,
        )

    def with_(self, other: "Usage") -> "Usage":
        """Return this usage combined with *other*, which was read from different sources.
        If *other* has a `tdm_policy` or a `use`, the value in *other* replaces the value
        in this usage.
        """
        return Usage(
            self.statements + other.statements,
            tuple(dict.fromkeys(self.licenses + other.licenses)),
            self.tdm_policy if other.tdm_policy is None else other.tdm_policy,
            self.use if other.use is None else other.use,
            self.not_understood + other.not_understood,
            self.read + other.read,
        )


ROBOTS_TXT = "robots.txt"
NO_USAGE = Usage(read=(ROBOTS_TXT,))
"""The usage of a page whose robots.txt states no preference."""


class _Stated(NamedTuple):
    """The preferences in one line, and the *pattern* of the URLs to which the preferences
    apply. If *pattern* is None, the preferences apply to every URL. *length* is the number
    of octets in the path. If the line has no path, or has an unreadable value, *length* is
    -1.
    """

    field: str
    length: int
    pattern: Pattern | None
    statements: tuple[Statement, ...]
    not_understood: tuple[Said, ...]
    use: str | None = None


class UsageRules:
    """The usage preferences of one robots.txt for one robot. `of` returns the preferences
    for a URL.
    """

    __slots__ = ("_general", "_licenses", "_lines")

    def __init__(self, text: str, dialect: Dialect, names: Sequence[str]) -> None:
        """Read the file *text* for the robot with these *names*. The *dialect* determines
        which records the robot obeys.
        """
        groups, above = _groups(text, dialect, names)
        lines = [it for group in groups for it in group.others]
        self._licenses = _licenses(lines) or _licenses(above.others)
        stated = (_stated(it) for it in with_pauses(lines) if field_of(it) in LABELS_OF)
        # Usage U3 (paths): the longest path that covers a URL decides, so lines with longer
        # paths come first.
        self._lines = sorted(stated, key=lambda it: -it.length)
        self._lines += _of_no_record(above.others)
        # In most files, no line has a path, so the same usage applies to every URL.
        has_paths = any(it.pattern is not None for it in self._lines)
        self._general = None if has_paths else self._usage(self._lines)

    @staticmethod
    def of_text(text: str, dialect: Dialect, names: Sequence[str]) -> "UsageRules":
        """Return the preferences in the file *text* for the robot with these *names*.

        The file is parsed only if *text* contains the name of a field that states usage
        preferences.
        """
        return UsageRules(text, dialect, names) if may_state_usage(text) else _NO_RULES

    def of(self, url: str | bytes) -> Usage:
        """Return the usage preferences for *url*, an absolute URL or a path. Never raises."""
        if self._general is not None:
            return self._general
        text = url if isinstance(url, str) else decode(url)
        spelling = normal_spelling(target_behind(len(head_of(text)), text))
        found: dict[str, list[_Stated]] = {USAGE_FIELD: [], SIGNAL_FIELD: []}
        work = 0
        for line in self._lines:
            chosen, pattern = found[line.field], line.pattern
            # Usage U3 (paths): a line with a shorter path does not apply, whatever the
            # labels in the line are.
            if chosen and chosen[0].length > line.length:
                continue
            if pattern is not None:
                if not spelling.startswith(pattern.first):
                    continue
                # In the worst case, each character of the longest string in the pattern is
                # compared at each position in the target.
                work += _CALL_WORK + len(spelling) * len(pattern.longest)
                # Ours O28 (bounded matching): if a URL cannot be compared with all paths,
                # every disallow applies to the URL.
                if work > MAX_WORK:
                    return self._forbidden_anywhere()
                if pattern.longest not in spelling:
                    continue
                work += _CALL_WORK * len(pattern.others)
                if not pattern.covers(spelling):
                    continue
            chosen.append(line)
        return self._usage(it for lines in found.values() for it in lines)

    def _forbidden_anywhere(self) -> Usage:
        """Return a usage with one disallow for each purpose that at least one line
        disallows, whatever the path of the line.
        """
        said = [it for line in self._lines for it in line.statements]
        found = {it.purpose: it for it in said if it.answer is Answer.DISALLOW}
        return Usage(tuple(found.values()), self._licenses, read=(ROBOTS_TXT,))

    def _usage(self, lines: Iterable[_Stated]) -> Usage:
        """Return the statements in *lines* as one usage."""
        # Return only the first of several equal statements, because a file can repeat a
        # statement thousands of times.
        statements: dict[tuple[str, Answer, str], Statement] = {}
        said: list[Said] = []
        use = None
        for line in lines:
            for it in line.statements:
                statements.setdefault((it.purpose, it.answer, line.field), it)
            said += line.not_understood
            use = use or line.use
        found, odd = tuple(statements.values()), tuple(said[:MAX_NOT_UNDERSTOOD])
        return Usage(found, self._licenses, None, use, odd, (ROBOTS_TXT,))


@lru_cache
def usage_dialect(dialect: Dialect) -> Dialect:
    """Return the dialect in which to read usage preferences. The returned dialect compares
    the names of robots in the same way as *dialect*.
    """
    # Usage U1 (groups): the draft attach-05 groups lines in the same way as RFC 9309. A
    # preference also ends a list of User-agent lines. Usage U2 (names): a robot finds the
    # record with preferences in the same way as the record with rules.
    return replace(
        DIALECTS["rfc9309"],
        names=dialect.names,
        rank=dialect.rank,
        merges_named=dialect.merges_named,
        has_preferences=True,
    )


def _groups(
    text: str, dialect: Dialect, names: Sequence[str]
) -> tuple[list[Group], Group]:
    """Return the groups that a robot with these *names* obeys, and the group of the lines
    above all records.
    """
    dialect = usage_dialect(dialect)
    # Usage U6 (no group): a preference above all groups does not apply to any robot.
    above, *groups = groups_of(text, dialect, only_effective=True)
    chosen = dialect.choose([it.names for it in groups], names)
    return [groups[it] for it in chosen], above


def _licenses(lines: Iterable[Line]) -> tuple[str, ...]:
    """Return the URLs in the License lines among *lines*."""
    values = (it.value for it in lines if field_of(it) == LICENSE_FIELD)
    return tuple(dict.fromkeys(filter(None, values)))


def _of_no_record(lines: Iterable[Line]) -> Iterator[_Stated]:
    """Yield the preferences in *lines*, the lines above all records. Yield every value as
    not understood.
    """
    for line in lines:
        if (field := field_of(line)) in LABELS_OF:
            where = f"robots.txt line {line.number}, which belongs to no record"
            yield _Stated(field, -1, None, (), (Said(line.value, where),))


def field_of(line: Line) -> str:
    """Return the field name of a preference *line* in its correct spelling, or "" if *line*
    does not state a preference.
    """
    return _FIELDS.get(line.row.name, "") if line.row else ""


def split_path(value: str) -> tuple[str, str]:
    """Return the path at the beginning of *value*, and the rest of *value*. The path is ""
    if *value* does not begin with a path.
    """
    # In the draft attach-05, a value may begin with a path. A path begins with a slash and
    # ends before the first white space.
    if not value.startswith("/"):
        return "", value
    path, *rest = re.split("[ \t]+", value, maxsplit=1)
    return path, "".join(rest)


def _stated(line: Line) -> _Stated:
    """Return the preferences in one *line*."""
    field, where = field_of(line), f"robots.txt line {line.number}"
    path, value = split_path(line.value)
    pattern = Pattern.of(path) if path else None
    length = pattern.length if pattern else -1
    try:
        statements, said, use = statements_of(field, value, where)
    except NotADictionaryError:
        # Usage U4 (unreadable value): a line with an unreadable value has no effect,
        # whatever the path of the line.
        said = (Said(line.value, where),)
        return _Stated(field, -1, pattern, (), said)
    return _Stated(field, length, pattern, statements, said, use)


def statements_of(
    field: str, value: str, where: str
) -> tuple[tuple[Statement, ...], tuple[Said, ...], str | None]:
    """Return the statements in a preference, the members that are not understood, and the
    value of the label `use`. The value of `use` is None if the label is missing or empty.

    *value* is the value of the line without its path. Only the first of several equal
    statements is returned. Of the members that are not understood, at most
    `MAX_NOT_UNDERSTOOD` are returned. Raise `NotADictionaryError` for a value of
    Content-Usage that is not a dictionary.
    """
    members = members_in(field, value)
    if field == USAGE_FIELD:
        # Of several members with the same key, only the last member applies, even if its
        # value is not understood.
        members = {it.key: it for it in members}.values()
    statements: dict[tuple[str, Answer], Statement] = {}
    said: list[Said] = []
    use = None
    for member in members:
        label = LABELS_OF[field].get(member.key)
        if label is not None:
            answer = label.answer_of(member.value)
            if answer is not None:
                found = Statement(label.purpose, answer, member.text, where)
                statements.setdefault((label.purpose, answer), found)
            elif len(said) < MAX_NOT_UNDERSTOOD:
                said.append(Said(member.text, where))
        # Usage U5 (labels): a label that is not in `LABELS` is ignored, except for the
        # label `use` of Content Signals.
        elif member.key == USE_LABEL and field == SIGNAL_FIELD:
            use = use or member.value
    return tuple(statements.values()), tuple(said), use or None


def members_in(field: str, value: str) -> Iterable[Member]:
    """Return the members of *value*, which is the value of a preference without its path.
    Raise `NotADictionaryError` if *field* is Content-Usage and *value* is not a
    dictionary.
    """
    return members_of(value) if field == USAGE_FIELD else _signals_of(value)


def _signals_of(value: str) -> Iterator[Member]:
    """Yield the signals in the *value* of a Content-Signal line. No document defines a
    grammar for values of Content-Signal.
    """
    offset = 0
    for piece in value.split(","):
        key, _, answer = piece.partition("=")
        if key.strip(_SPACE):
            start = offset + len(piece) - len(piece.lstrip(_SPACE))
            value, written = answer.strip(_SPACE), piece.strip(_SPACE)
            yield Member(key.strip(_SPACE).lower(), value, written, start)
        offset += len(piece) + 1


# All files that do not contain the name of a preference field share `_NO_RULES`.
_NO_RULES = UsageRules("", DIALECTS["rfc9309"], ())
