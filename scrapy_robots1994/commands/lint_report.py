"""The report of `robots-lint` on one file, as text, JSON or GitHub annotations.

In text and annotations, everything from the file is escaped.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from scrapy_robots1994.commands.terminal import WIDTH, Paint
from scrapy_robots1994.escaping import escape_control_chars, wrap_and_escape
from scrapy_robots1994.lint import kinds
from scrapy_robots1994.lint.kinds import Problem, lines_text
from scrapy_robots1994.lint.values import can_match
from scrapy_robots1994.parser import Line, LineKind
from scrapy_robots1994.parser.dialects import STRICTEST, Dialect, grammars_of
from scrapy_robots1994.parser.fields import Field, Role
from scrapy_robots1994.parser.records import Record
from scrapy_robots1994.parser.robot_reading import has_wildcard
from scrapy_robots1994.parser.user_agent import EVERYBODY
from scrapy_robots1994.robotstxt import RobotsTxt

# The dialect that most robots follow today.
TODAY = "rfc9309"

# The style of each severity on a terminal, and its GitHub workflow command.
_STYLES = {kinds.ERROR: "1;31", kinds.WARNING: "33", kinds.INFO: "36"}
_COMMANDS = {kinds.ERROR: "error", kinds.WARNING: "warning", kinds.INFO: "notice"}
_BOLD, _FAINT = "1", "2"
_TEXT, _INDENT = 44, " " * 7
_SHOWN, _QUOTED = 3, 22
_MAX_MESSAGE = 1_000
_PROBLEM_NAMES = (
    *("code", "severity", "line", "lines", "column"),
    *("message", "fix", "weakens_policy"),
)
# A file is parsed once per robot in each of two dialects. After about this many bytes in each
# dialect, no more robots are compared.
_MAX_READ = 500_000
# Only a rule that covers the whole site covers both paths.
_PROBES = ("/", "/robots-lint-7f3a9c")


class Report:
    """The effect of each line of a file, and the problems whose codes are not in *ignored*."""

    def __init__(
        self, name: str, robots: RobotsTxt, ignored: frozenset[str] = frozenset()
    ) -> None:
        self.name = name
        self.robots = robots
        self.lines = robots.lines
        self.records = robots.records
        problems = robots.problems
        self.problems = [it for it in problems if it.code not in ignored]
        # For "strictest", show the effects in "1994", and compare with "rfc9309".
        self.dialect = grammars_of(robots.dialect)[0]
        self.other = "1994" if self.dialect.name == TODAY else TODAY
        self.otherwise = self._decided_otherwise()
        self.effects = list(_effects(self, problems))

    def _decided_otherwise(self) -> dict[str, list[str]]:
        """Return the robots to which the site is by default closed in one of the two dialects, but
        open in the other. The key of each list, "closed" or "open", is the state of the site in
        the dialect `other`.
        """
        here = self.robots.read_as(self.dialect.name)
        other = self.robots.read_as(self.other)
        names = {EVERYBODY: None}
        for record in (*self.records, *other.records):
            names |= dict.fromkeys(record.names)
        most = _MAX_READ // (self.robots.size + 1) + 1
        found: dict[str, list[str]] = {"closed": [], "open": []}
        for name in list(names)[:most]:
            closed = _is_closed(other, name)
            if closed != _is_closed(here, name):
                found["closed" if closed else "open"].append(name)
        return found

    @property
    def note(self) -> str:
        """A sentence about the robots in `otherwise`, or "" if there are none."""
        parts = [
            f"{how} to {_quoted(names[0])}"
            + f" and {len(names) - 1} more" * (len(names) > 1)
            for how, names in self.otherwise.items()
            if names
        ]
        text = (
            f'In "{self.other}", the site is by default ' + ", and ".join(parts) + "."
        )
        return escape_control_chars(text, WIDTH - len(_INDENT) - 2) * bool(parts)


def _is_closed(robots: RobotsTxt, name: str) -> bool:
    # A robot without a name obeys only the records for `*`.
    rules = robots.rules("" if name == EVERYBODY else name)
    return not any(map(rules.allowed, _PROBES))


def _quoted(name: str) -> str:
    # 1994 A3
    return "every robot not named" if name == EVERYBODY else f'"{_shown(name)}"'


def _shown(text: str) -> str:
    return escape_control_chars(text, _QUOTED)


def _effects(report: Report, problems: Iterable[Problem]) -> Iterator[str]:
    """Yield the effect of each line, or "" for comments and for blank lines that end no record."""
    dialect = report.dialect
    starts = {it.first_line for it in report.records}
    beaten = {
        line
        for it in problems
        if it.kind is kinds.NO_EFFECT and it.weakens_policy
        for line in it.lines
    }
    is_open = False
    for line in report.lines:
        is_open = is_open or line.number in starts
        if line.kind is LineKind.BLANK:
            # 1994 F1
            yield "ends the record" if is_open and dialect.has_blank_lines else ""
            is_open = False
        elif line.kind is LineKind.COMMENT:
            yield ""
        elif line.row is None and line.known and line.known.is_preference:
            yield "states a usage preference, which is not a rule"
        elif line.row is None or line.why_ignored:
            yield f"ignored: {line.why_ignored}"
        elif line.number in beaten:
            yield "has no effect"
        elif line.row.role is Role.NAMES:
            begins = "begins a record, for" if line.number in starts else "and for"
            named = " and ".join(map(_quoted, line.said[:_SHOWN]))
            yield f"{begins} {escape_control_chars(named, _QUOTED + 5)}"
        else:
            yield _effect(line, line.row, dialect)


def _effect(line: Line, field: Field, dialect: Dialect) -> str:
    words = field.effect or ""
    if field.role is Role.PAUSE:
        return words.format(f"{line.said:f}".rstrip("0").rstrip("."))
    if field.role is not Role.RULE:
        return words
    paths = dialect.paths(line.value)
    if "/" in paths:
        return words.format("everything")
    if paths == ("",):
        # 1994 D2
        return words.format("nothing")
    able = [_shown(it) for it in paths if can_match(it, dialect)]
    if not able:
        return "matches nothing"
    is_plain = not (dialect.has_wildcards and has_wildcard(line.value))
    how = "begins with" if is_plain else "matches"
    texts = escape_control_chars(" or ".join(able[:_SHOWN]), _QUOTED + 1)
    return words.format(f"what {how} {texts}")


def as_text(report: Report, paint: Paint) -> Iterator[str]:
    """Yield each line of the file with its effect, followed by its problems."""
    yield paint(_heading(report), _BOLD)
    below: dict[int, list[str]] = {}
    width = WIDTH - len(_INDENT) - 2
    for problem, head, text, advice in _advised(report):
        first, *others = wrap_and_escape(f"{head} {text}", width)
        end = len(head)
        first = paint(first[:end], _STYLES[problem.severity]) + first[end:]
        rows = below.setdefault(problem.line, [])
        rows.append(f"{_INDENT}^ {first}")
        rows += [f"{_INDENT}  {it}" for it in others + wrap_and_escape(advice, width)]
    for line, effect in zip(report.lines, report.effects, strict=True):
        shown = escape_control_chars(line.text.expandtabs(4), _TEXT)
        row = f"{line.number:{len(_INDENT) - 1}} {shown:{_TEXT}} "
        yield (row + paint(effect, _FAINT) if effect else row).rstrip()
        yield from below.pop(line.number, ())
    if not report.lines:
        # 1994 E1
        yield f"{_INDENT}(the file has no lines: every robot may retrieve everything)"
    for rows in below.values():
        yield from rows
    if report.note:
        yield _INDENT + report.note


def problems_as_text(report: Report, paint: Paint) -> Iterator[str]:
    """Yield one line for each problem, in the format of compiler messages. If the dialect is
    "strictest", yield the note of *report* too.
    """
    name = escape_control_chars(report.name)
    for problem, head, text, advice in _advised(report):
        place = f"{name}:{problem.line}:{problem.column}:"
        yield f"{place} {paint(head, _STYLES[problem.severity])} {text} {advice}".rstrip()
    if report.note and report.robots.dialect == STRICTEST:
        yield f"{name}: note: {report.note}"


def _advised(report: Report) -> Iterator[tuple[Problem, str, str, str]]:
    """Yield each problem with its heading, message and advice. Only the first problem of a kind has
    advice.
    """
    advised: set[str] = set()
    for problem in report.problems:
        advice = "" if problem.code in advised else problem.fix
        advised.add(problem.code)
        more = problem.lines[1:]
        also = f", also {lines_text(more)}" if more else ""
        head = f"{problem.severity} {problem.code}{also}:"
        yield problem, head, problem.message, advice


def _heading(report: Report) -> str:
    found = Counter(it.severity for it in report.problems)
    counts = {"line": len(report.lines), "record": len(report.records)}
    counts |= {it: found[it] for it in kinds.SEVERITIES if found[it]}
    shown = ", ".join(
        f"{count:,} {word}{'s' * (count != 1 and word != kinds.INFO)}"
        for word, count in counts.items()
    )
    shown += ", truncated at the size limit" * report.robots.is_truncated
    shown += f" ({report.robots.dialect})"
    return f"{escape_control_chars(report.name, WIDTH - len(shown) - 2)}: {shown}"


def as_json(report: Report) -> dict[str, Any]:
    return {
        "file": report.name,
        "dialect": report.robots.dialect,
        "is_truncated": report.robots.is_truncated,
        "lines": list(map(_line_as_json, report.lines, report.effects)),
        "records": list(map(_record_as_json, report.records)),
        "problems": [
            {name: getattr(it, name) for name in _PROBLEM_NAMES}
            for it in report.problems
        ],
        "otherwise": {"dialect": report.other, **report.otherwise},
    }


def _line_as_json(line: Line, effect: str) -> dict[str, Any]:
    kind = line.kind.value
    return {"number": line.number, "kind": kind, "text": line.text, "effect": effect}


def _record_as_json(record: Record) -> dict[str, Any]:
    return {
        "names": record.names,
        "first_line": record.first_line,
        "last_line": record.last_line,
        "disallow": [it.value for it in record.rules if not it.allows],
        "allow": [it.value for it in record.rules if it.allows],
        "crawl_delay": max((it.seconds for it in record.delays), default=None),
    }


def as_annotations(report: Report) -> Iterator[str]:
    for problem in report.problems:
        place = f"line={problem.line},col={problem.column},title={problem.code}"
        also = f" Also {lines_text(problem.lines[1:])}." if problem.lines[1:] else ""
        text = f"{problem.message}{also} {problem.fix}"
        yield annotation(report.name, problem.severity, text, place)


def annotation(name: str, severity: str, text: str, *place: str) -> str:
    """Return a GitHub workflow command about the file *name*."""
    file = _data(name).replace(":", "%3A").replace(",", "%2C")
    where = ",".join((f"file={file}", *place))
    return f"::{_COMMANDS[severity]} {where}::{_data(text)}"


def _data(text: str) -> str:
    return escape_control_chars(text, _MAX_MESSAGE).replace("%", "%25")
