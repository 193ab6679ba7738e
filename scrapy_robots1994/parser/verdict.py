"""Verdict: allowed or not, and because of which record and which line, or why no record
applied.
"""

from dataclasses import InitVar, dataclass, fields, replace
from enum import Enum
from typing import Any, NamedTuple

from scrapy_robots1994.escaping import (
    escape_control_chars,
    percent_encode_control_chars,
)
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import groups_of
from scrapy_robots1994.parser.records import Record, records_of


class Reason(str, Enum):
    """Why a verdict is what it is.

    A member is a `str`, equal to its value, so any exporter of items can write it.
    """

    RULE = "rule"
    SPLIT_RECORD = "split-record"
    WILDCARDS = "wildcards"
    NO_RULE = "no-rule"
    NO_RECORD = "no-record"
    EMPTY = "empty"
    ROBOTS_TXT = "robots.txt-itself"
    ABSENT = "absent"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"
    UNCHECKED = "unchecked"

    # Each refusal looks one up, and the hash of `Enum` is a Python function.
    __hash__ = str.__hash__

    def __str__(self) -> str:
        """Return the value, as `StrEnum` of Python 3.11 does."""
        return self.value

    # Of an enumeration of texts it differs between versions of Python.
    __format__ = str.__format__  # type: ignore[assignment]

    @property
    def meaning(self) -> str:
        """What this reason says, as the reference has it."""
        return _MEANINGS[self]


_MEANINGS = {
    Reason.RULE: "a rule of the robot's record covers the URL",
    Reason.SPLIT_RECORD: "a rule that a blank line separates from its record covers it",
    Reason.WILDCARDS: "the rules have more wildcards than can be compared with the URL",
    Reason.NO_RULE: "no rule of the robot's record covers the URL",
    Reason.NO_RECORD: "no record of robots.txt is for this robot",
    Reason.EMPTY: "robots.txt holds no record",
    Reason.ROBOTS_TXT: "robots.txt itself may always be retrieved",
    Reason.ABSENT: "the site has no robots.txt",
    Reason.FORBIDDEN: "access to robots.txt was refused",
    Reason.UNREACHABLE: "robots.txt could not be retrieved",
    Reason.UNCHECKED: "requests for this URL are not checked",
}


def _quoted(names: tuple[str, ...]) -> str:
    """Return the names of a record as verdicts print them, safe to print."""
    # Ours O25: nothing of a file is printed raw; a record may have thousands of names.
    quoted = (f'"{escape_control_chars(name, 60)}"' for name in names)
    return escape_control_chars(" and ".join(quoted), 200)


class RecordReference(NamedTuple):
    """A record that is read again from its file only if that is needed.

    Most verdicts are logged and counted, and no one looks at the other rules of their
    record.
    """

    first_line: int
    names: tuple[str, ...]
    body: Body
    dialect: Dialect

    def read(self) -> Record:
        """Return the record."""
        records = records_of(groups_of(self.body.text, self.dialect), self.dialect)
        # No two records begin on one line, in any reading.
        return next(it for it in records if it.first_line == self.first_line)


class _Sourced:
    """The base of `Verdict`: a place for what is not a field.

    `ItemAdapter` and the exporters of Scrapy write each field of a dataclass. A reference
    to a record holds a whole file, which no exporter can write.
    """

    __slots__ = ("_source",)

    _source: Record | RecordReference | None


@dataclass(frozen=True, slots=True)
class Verdict(_Sourced):
    """The answer to "may this robot retrieve this URL", and where it comes from.

    *line* (from 1) and *rule* (as written) are those of the rule that decides: without
    Allow in the dialect the shortest that covers the URL. They are None if no rule
    covers it. *spelling* is the target that the rule covers, if it is not the one as
    written, but the one without dot segments, or the one that the client of the crawl
    sends. *status* is the HTTP status of the answer that decided in place of a file; None
    for a failed fetch too. *failure* says in a few words why robots.txt could not be
    retrieved, as "DNS lookup failed"; None if it could.

    A verdict may be part of an item: the exporters of Scrapy write its fields.
    """

    allowed: bool
    reason: Reason
    line: int | None = None
    rule: str | None = None
    spelling: str | None = None
    source: InitVar[Record | RecordReference | None] = None
    status: int | None = None
    failure: str | None = None

    def __post_init__(self, source: Record | RecordReference | None) -> None:
        """Store *source*, from which `record` is read."""
        object.__setattr__(self, "_source", source)

    @property
    def record(self) -> Record | None:
        """The record that has the rule, else the first that applied, else None.

        Its texts can be exported, as those that `for_export` returns.
        """
        source = self._source
        record = source.read() if isinstance(source, RecordReference) else source
        return record and record.for_export()

    def for_export(self) -> "Verdict":
        """Return an equivalent verdict whose texts can be written in every format.

        Control characters, and bytes that are not UTF-8, are percent-encoded in *rule*
        and *spelling*: a file in UTF-8 cannot have the latter, and XML neither.
        """
        # Ours O18: percent-encoded, a rule means the same.
        rule, spelling = map(_for_export, (self.rule, self.spelling))
        if (rule, spelling) == (self.rule, self.spelling):
            return self
        return replace(self, rule=rule, spelling=spelling, source=self._source)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as values that any serializer can write, Marshal included.

        They are `str`, `int`, `bool`, `list`, `dict` and None: the fields; *record* with
        the *names* and the *first_line* of the record; *explanation*, the sentence of
        `explain`.
        """
        shown, source = self.for_export(), self._source
        values = {it.name: getattr(shown, it.name) for it in fields(shown)}
        names = (
            [percent_encode_control_chars(it) for it in source.names] if source else []
        )
        record = source and {"names": names, "first_line": source.first_line}
        more = {"record": record, "explanation": self.explain()}
        return {**values, "reason": self.reason.value, **more}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what explains the verdict; of the rules of its record that one alone.

        With the meta of a request it goes to disk, or to Redis: a thousand requests
        would take all rules of a record a thousand times.
        """
        # A reference would take the whole body along.
        record = self.record
        if record is not None:
            rules = (*record.rules, *record.orphans)
            here = self.line, _for_export(self.rule)
            record = replace(
                record,
                rules=tuple(it for it in rules if (it.line, it.value) == here),
                delays=(),
                orphans=(),
                orphan_delays=(),
            )
        values = {it.name: getattr(self, it.name) for it in fields(self)}
        return _unpickled, (values, record)

    # Without these two, `copy` uses `__reduce__`: it would read the file, and the copy
    # would lack the other rules of the record.
    def __copy__(self) -> "Verdict":
        """Return the verdict itself, which cannot change."""
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> "Verdict":
        """Return the verdict itself, which cannot change."""
        return self

    def explain(self) -> str:
        """Return the verdict as one sentence that is safe to print."""
        return f"{'allowed' if self.allowed else 'disallowed'}{self._because()}"

    __str__ = explain

    def _because(self) -> str:
        """Return the part of the sentence that says why."""
        source = self._source
        if source is None:
            status = None if self.status is None else f"HTTP {self.status}"
            said = self.failure or status
            return f": {self.reason.meaning}" + f" ({said})" * bool(said)
        names = _quoted(source.names)
        record = f"the record for {names} (line {source.first_line})"
        if self.rule is None:
            return f": no rule of {record} covers the URL"
        rule = f"{'Allow' if self.allowed else 'Disallow'}: {self.rule}"
        by = f' by line {self.line}, "{escape_control_chars(rule)}", '
        if self.reason is Reason.SPLIT_RECORD:
            by += f"which a blank line parts from {record}"
        else:
            by += f"of {record}"
        # Ours O27: the path that was requested is not the one that the rule covers.
        if self.spelling is None:
            return by
        return f'{by}; the URL means "{escape_control_chars(self.spelling)}"'


def _for_export(text: str | None) -> str | None:
    """Return *text* as `Verdict.for_export` has it."""
    return None if text is None else percent_encode_control_chars(text)


def _unpickled(values: dict[str, Any], record: Record | None) -> Verdict:
    """Return the verdict with these *values*, of *record*.

    Version 0.1 pickled a call of `Verdict`, so the order of its arguments stays.
    """
    return Verdict(**values, source=record)
