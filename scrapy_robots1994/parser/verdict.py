"""The verdict on a URL, and its reason."""

from dataclasses import InitVar, dataclass, field, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_robots1994.escaping import (
    escape_control_chars,
    percent_encode_control_chars,
)
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.dialects import Dialect
from scrapy_robots1994.parser.reader import groups_of

if TYPE_CHECKING:
    from typing_extensions import Self

    from scrapy_robots1994.parser.records import Record


# Messages quote only the first names, because a record may have thousands.
_QUOTED = 20


class Reason(str, Enum):
    """Why a URL is allowed or disallowed.

    Members are also `str`, so that every item exporter can write them.
    """

    meaning: str
    """The reason in words, for messages and the reference page."""

    RULE = "rule", "a rule of the robot's record covers the URL"
    WILDCARDS = (
        "wildcards",
        "the rules have too many wildcards to compare with the URL",
    )
    SPELLINGS = (
        "spellings",
        "the URL has too many spellings to compare with the rules",
    )
    NO_RULE = "no-rule", "no rule of the robot's record covers the URL"
    NO_RECORD = "no-record", "no record of robots.txt applies to this robot"
    EMPTY = "empty", "robots.txt contains no record"
    ROBOTS_TXT = "robots.txt-itself", "robots.txt itself may always be retrieved"
    ABSENT = "absent", "the site has no robots.txt"
    FORBIDDEN = "forbidden", "access to robots.txt was refused"
    UNREACHABLE = "unreachable", "robots.txt could not be retrieved"
    UNCHECKED = "unchecked", "requests for this URL are not checked"

    def __new__(cls, value: str, meaning: str) -> "Self":
        self = str.__new__(cls, value)
        self._value_ = value
        self.meaning = meaning
        return self

    # The methods of `Enum` are slow, or differ between versions of Python.
    __hash__ = str.__hash__
    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]


class RecordReference(NamedTuple):
    """Finds the record of a verdict on demand, because few callers need it."""

    first_line: int
    names: tuple[str, ...]
    body: Body
    dialect: Dialect

    def read(self) -> "Record":
        from scrapy_robots1994.parser.records import records_of  # noqa: PLC0415 - rarely used

        records = records_of(groups_of(self.body.text, self.dialect), self.dialect)
        return next(it for it in records if it.first_line == self.first_line)


class _Sourced:
    """Holds `_source`, which is not a field of `Verdict`, because exporters write all fields."""

    __slots__ = ("_source",)

    _source: "Record | RecordReference | None"


@dataclass(frozen=True, slots=True)
class Verdict(_Sourced):
    """Whether a robot may retrieve a URL, and why.

    *line* is the 1-based number of the line that decides, and *rule* is its path as written. *line*
    and *rule* are None if no rule decides. *spelling* is the spelling of the path and query that
    the rule covers, or None if the rule covers them as written.

    *status* is the HTTP status of the answer to GET /robots.txt if that status decided. *failure*
    says in a few words why robots.txt is unreachable, such as "DNS lookup failed" or "HTTP 503".

    *dialect* is the dialect that decided, or None if the verdict does not depend on a record. If
    the file is read as "strictest", *dialect* is "1994" or "rfc9309". Equality ignores *dialect*
    and `record`, but a refusal in "strictest" does not equal the same refusal in another dialect.

    Scrapy's item exporters can write verdicts.
    """

    allowed: bool
    reason: Reason
    line: int | None = None
    rule: str | None = None
    spelling: str | None = None
    source: InitVar["Record | RecordReference | None"] = None
    status: int | None = None
    failure: str | None = None
    dialect: str | None = field(default=None, compare=False)

    def __post_init__(self, source: "Record | RecordReference | None") -> None:
        object.__setattr__(self, "_source", source)

    @property
    def record(self) -> "Record | None":
        """The record of the rule that decides, or the first record for the robot if the reason is
        `Reason.NO_RULE`. None for any other reason.

        Each access may parse the file again. The record is a copy made by `Record.for_export`.
        """
        source = self._source
        record = source.read() if isinstance(source, RecordReference) else source
        return record and record.for_export()

    def for_export(self) -> "Verdict":
        """Return a copy for exporters, with control characters and invalid UTF-8 in *rule* and
        *spelling* percent-encoded. Encoding them does not change their meaning (Ours O18).
        """
        if f"{self.rule}{self.spelling}".isprintable():
            return self
        rule = self.rule and percent_encode_control_chars(self.rule)
        spelling = self.spelling and percent_encode_control_chars(self.spelling)
        return replace(self, rule=rule, spelling=spelling, source=self._source)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as a dict that any serializer can write, even `marshal`.

        The dict contains the fields of the verdict, *record* (None, or a dict with *names* and
        *first_line*), and *explanation*, the result of `explain`.
        """
        source = self._source
        names = source.names if source else ()
        record = source and {
            "names": [percent_encode_control_chars(it) for it in names],
            "first_line": source.first_line,
        }
        more = {"record": record, "explanation": self.explain()}
        return {**_values_of(self.for_export()), "reason": self.reason.value, **more}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields, and the record with only the rule that decides.

        Disk and Redis queues pickle the meta of every request, and a whole record may be large.
        """
        record = self.record
        if record is not None:
            here = self.line, self.for_export().rule
            rules = tuple(it for it in record.rules if (it.line, it.value) == here)
            record = replace(record, rules=rules, delays=())
        return _unpickled, (type(self), _values_of(self), record)

    # Without these methods, `copy` would call `__reduce__`, which parses the file and drops rules.
    def __copy__(self) -> "Verdict":
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> "Verdict":
        return self

    def explain(self) -> str:
        """Return the verdict as one sentence that is safe to print."""
        return f"{'allowed' if self.allowed else 'disallowed'}{self._because()}"

    __str__ = explain

    def _because(self) -> str:
        source = self._source
        if source is None:
            status = None if self.status is None else f"HTTP {self.status}"
            said = self.failure or status
            return f": {self.reason.meaning}" + f" ({said})" * bool(said)
        # Ours O25: the names come from the file.
        first_names = source.names[:_QUOTED]
        quoted = (f'"{escape_control_chars(name, 60)}"' for name in first_names)
        names = escape_control_chars(" and ".join(quoted), 200)
        record = f"the record for {names} (line {source.first_line})"
        if self.rule is None:
            return f": no rule of {record} covers the URL"
        rule = f"{'Allow' if self.allowed else 'Disallow'}: {self.rule}"
        by = f' by line {self.line}, "{escape_control_chars(rule)}", of {record}'
        # Ours O27: the rule may cover another spelling of the URL.
        if self.spelling is None:
            return by
        return f'{by}; the URL means "{escape_control_chars(self.spelling)}"'


class StrictestRefusal(Verdict):
    """A refusal in the dialect "strictest", whose explanation names the dialect that refuses."""

    __slots__ = ()

    @classmethod
    def of(cls, verdict: Verdict) -> "StrictestRefusal":
        return cls(**_values_of(verdict), source=verdict._source)  # noqa: SLF001 - an attribute of the base class

    def _because(self) -> str:
        return f" in {self.dialect}{super()._because()}"


def _values_of(verdict: Verdict) -> dict[str, Any]:
    return {it.name: getattr(verdict, it.name) for it in fields(verdict)}


def _unpickled(
    kind: type[Verdict], values: dict[str, Any], record: "Record | None"
) -> Verdict:
    return kind(**values, source=record)
