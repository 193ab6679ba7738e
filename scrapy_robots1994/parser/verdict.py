"""The verdict on a URL (`Verdict`). A verdict says whether the URL is allowed, and gives
the reason. If a record applies, the verdict refers to the record. If a rule decides, the
verdict also contains the path and the line number of the rule.
"""

from dataclasses import InitVar, dataclass, field, fields, replace
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
    """The reason why a URL is allowed or disallowed.

    Each member is also a `str`, so that every item exporter can write it.
    """

    RULE = "rule"
    WILDCARDS = "wildcards"
    NO_RULE = "no-rule"
    NO_RECORD = "no-record"
    EMPTY = "empty"
    ROBOTS_TXT = "robots.txt-itself"
    ABSENT = "absent"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"
    UNCHECKED = "unchecked"

    # Use the hash of `str`, because each refusal looks up a reason, and the hash of `Enum`
    # is a slow Python function.
    __hash__ = str.__hash__

    def __str__(self) -> str:
        """Return the value, as `StrEnum` of Python 3.11 does."""
        return self.value

    # Use the `__format__` of `str`, because different versions of Python format a member of
    # a `str` enumeration in different ways.
    __format__ = str.__format__  # type: ignore[assignment]

    @property
    def meaning(self) -> str:
        """The phrase that describes this reason in messages and in the reference."""
        return _MEANINGS[self]


_MEANINGS = {
    Reason.RULE: "a rule of the robot's record covers the URL",
    Reason.WILDCARDS: "the rules have more wildcards than can be compared with the URL",
    Reason.NO_RULE: "no rule of the robot's record covers the URL",
    Reason.NO_RECORD: "no record of robots.txt is for this robot",
    Reason.EMPTY: "robots.txt contains no record",
    Reason.ROBOTS_TXT: "robots.txt itself may always be retrieved",
    Reason.ABSENT: "the site has no robots.txt",
    Reason.FORBIDDEN: "access to robots.txt was refused",
    Reason.UNREACHABLE: "robots.txt could not be retrieved",
    Reason.UNCHECKED: "requests for this URL are not checked",
}


def _quoted(names: tuple[str, ...]) -> str:
    """Return the *names* of a record as quoted text that is safe to print."""
    # Ours O25 (control characters): text from a file is never printed unescaped. The list
    # of names is cut to 200 characters, because a record can contain thousands of names.
    quoted = (f'"{escape_control_chars(name, 60)}"' for name in names)
    return escape_control_chars(" and ".join(quoted), 200)


class RecordReference(NamedTuple):
    """A reference to a record. `read` parses the file and returns the record.

    Most verdicts are only logged and counted, and do not need the whole record.
    """

    first_line: int
    names: tuple[str, ...]
    body: Body
    dialect: Dialect

    def read(self) -> Record:
        """Read the file again, and return the record."""
        records = records_of(groups_of(self.body.text, self.dialect), self.dialect)
        # Two records never begin on the same line, so the first line identifies the record.
        return next(it for it in records if it.first_line == self.first_line)


class _Sourced:
    """The base class of `Verdict`. The base class defines the attribute `_source`, which
    must not be a dataclass field.

    `ItemAdapter` and the exporters of Scrapy write each field of a dataclass. An exporter
    cannot write a `RecordReference`, which contains a whole file.
    """

    __slots__ = ("_source",)

    _source: Record | RecordReference | None


@dataclass(frozen=True, slots=True)
class Verdict(_Sourced):
    """Whether a robot may retrieve a URL, and the reason.

    *line* is the number, from 1, of the line with the rule that decides. *rule* is the
    path in the rule that decides, as written. *line* and *rule* are None if no rule
    decides. In a dialect without Allow, the shortest rule that covers the URL decides.
    *spelling* is the spelling of the target that the rule covers, or None if the rule
    covers the target as written. The spelling is the target without dot segments, the
    target that a client sends, or the sent target without dot segments.

    *status* is the HTTP status of the answer to GET /robots.txt if the status decided.
    *status* is None if a file decided, or if the fetch ended with an error, such as a
    timeout. If robots.txt is unreachable, *failure* gives the reason in a few words, such
    as "DNS lookup failed" or "HTTP 503". *failure* is None unless robots.txt is
    unreachable.

    *dialect* is the dialect that decided, or None if no record applies. In the dialect
    "strictest" it is "1994" or "rfc9309". Verdicts that differ only in *dialect* are equal.

    A verdict can be part of an item, because the exporters of Scrapy can write the fields
    of a verdict.
    """

    allowed: bool
    reason: Reason
    line: int | None = None
    rule: str | None = None
    spelling: str | None = None
    source: InitVar[Record | RecordReference | None] = None
    status: int | None = None
    failure: str | None = None
    dialect: str | None = field(default=None, compare=False)

    def __post_init__(self, source: Record | RecordReference | None) -> None:
        """Store *source*, from which `record` is read."""
        object.__setattr__(self, "_source", source)

    @property
    def record(self) -> Record | None:
        """The record that contains the rule that decides, or the first record for the robot
        if no rule decides. *record* is None if no record applies to the robot.

        The strings of the record can be written in every format (see `for_export`). Each
        access to `record` can cause another parse of the file.
        """
        source = self._source
        record = source.read() if isinstance(source, RecordReference) else source
        return record and record.for_export()

    def for_export(self) -> "Verdict":
        """Return an equivalent verdict whose strings can be written in every format.

        Control characters, and bytes that are not UTF-8, are percent-encoded in *rule* and
        *spelling*. XML cannot contain control characters. Neither XML nor a text file in
        UTF-8 can contain bytes that are not UTF-8.
        """
        if f"{self.rule}{self.spelling}".isprintable():
            return self
        # Ours O18 (percent-encodings): a rule and its percent-encoding have the same
        # meaning.
        rule = self.rule and percent_encode_control_chars(self.rule)
        spelling = self.spelling and percent_encode_control_chars(self.spelling)
        return replace(self, rule=rule, spelling=spelling, source=self._source)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as a dict that any serializer can write, even `marshal`.

        The dict contains the fields of the verdict and two more entries. *record* is a dict
        with the *names* and the *first_line* of the record, or None. *explanation* is the
        sentence that `explain` returns. Each value is a `str`, `int`, `bool`, `list`,
        `dict` or None.
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
        """Pickle the fields, and a copy of the record that contains only the rule that
        decides.

        Queues on disk or in Redis pickle the meta of each request. If a pickle contained
        all rules of the record, a thousand requests would store them a thousand times.
        """
        # Read the record, because a pickled reference would contain the whole body.
        record = self.record
        if record is not None:
            here = self.line, self.for_export().rule
            record = replace(
                record,
                rules=tuple(it for it in record.rules if (it.line, it.value) == here),
                delays=(),
            )
        values = {it.name: getattr(self, it.name) for it in fields(self)}
        return _unpickled, (type(self), values, record)

    # Without `__copy__` and `__deepcopy__`, the module `copy` would call `__reduce__`.
    # `__reduce__` reads the file, and the copy would contain only the rule that decides.
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
        """Return the part of the explanation that follows "allowed" or "disallowed"."""
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
        by = f' by line {self.line}, "{escape_control_chars(rule)}", of {record}'
        # Ours O27 (spellings): if the spelling that the rule covers differs from the target
        # as written, print the spelling.
        if self.spelling is None:
            return by
        return f'{by}; the URL means "{escape_control_chars(self.spelling)}"'


def _unpickled(
    kind: type[Verdict], values: dict[str, Any], record: Record | None
) -> Verdict:
    return kind(**values, source=record)


class StrictestRefusal(Verdict):
    """A refusal in the dialect "strictest", whose sentence names the dialect that refuses."""

    __slots__ = ()

    @classmethod
    def of(cls, verdict: Verdict) -> "StrictestRefusal":
        """Return *verdict* as a refusal in the dialect "strictest"."""
        values = {it.name: getattr(verdict, it.name) for it in fields(verdict)}
        return cls(**values, source=verdict._source)  # noqa: SLF001 - of its own base class

    def explain(self) -> str:
        """Return the verdict as one sentence that is safe to print."""
        return f"disallowed in {self.dialect}{self._because()}"

    __str__ = explain
