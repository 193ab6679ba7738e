"""Show a report as text for people, as JSON, or as GitHub annotations.

In text and annotations, the strings from the file are escaped, so that all output is safe
to print.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from scrapy_robots1994.escaping import escape_control_chars, wrap_and_escape
from scrapy_robots1994.lint.kinds import (
    ERROR,
    INFO,
    SEVERITIES,
    WARNING,
    Problem,
)
from scrapy_robots1994.lint.report import TODAY, Report, Summary, Unread
from scrapy_robots1994.parser import Line, Record
from scrapy_robots1994.parser.user_agent import EVERYBODY

WIDTH = 100
_TEXT = 44
_INDENT = " " * 7
_SHOWN_FIELDS = 6
_MAX_MESSAGE = 1_000

# The attributes of a problem that JSON contains, in this order.
_PROBLEM_NAMES = (
    *("code", "line", "column", "message", "severity", "clause"),
    *("weakens_policy", "tightens_policy", "fix", "is_split"),
)

Paint: TypeAlias = Callable[[str, str], str]
"""A function that takes a text and a style such as `1;31`, and returns the text in that
style. If colours are not used, the function returns the text unchanged.
"""

# `BOLD` and `FAINT` are terminal codes for styles of text.
BOLD, FAINT = "1", "2"
# `_STYLES` maps each severity to a terminal style (bold red, yellow or cyan). `_COMMANDS`
# maps each severity to the name of a GitHub workflow command.
_STYLES = {ERROR: "1;31", WARNING: "33", INFO: "36"}
_COMMANDS = {ERROR: "error", WARNING: "warning", INFO: "notice"}


def unpainted(text: str, _style: str) -> str:
    """Return *text* unchanged."""
    return text


def as_text(
    report: Report | Unread, paint: Paint = unpainted, *, only_problems: bool = False
) -> Iterator[str]:
    """Yield *report* as lines of text.

    The text consists of a heading, each line of the file with its effect and its problems,
    and sentences about other dialects. If *only_problems* is true, the text consists only
    of the heading and the problems. If the file could not be read, the text is one line
    with the reason.
    """
    if isinstance(report, Unread):
        yield f"{escape_control_chars(report.name)}: {report.why}"
        return
    yield paint(_heading(report), BOLD)
    rows = [] if only_problems else list(_lines_as_text(report, paint))
    rows += [(it.line, _problem_as_text(it, paint)) for it in report.problems]
    # The sort is stable, so the problems with a line stay below the line.
    for _, texts in sorted(rows, key=itemgetter(0)):
        yield from texts
    if not only_problems:
        for words in _of_other_dialects(report):
            for text in wrap_and_escape(words, WIDTH - len(_INDENT)):
                yield _INDENT + paint(text, FAINT)


def _of_other_dialects(report: Report) -> Iterator[str]:
    """Yield a sentence for each dialect that reads some lines differently from the
    dialect of the report.

    If the report contains the problems in the dialect `TODAY`, the last sentence counts the
    problems in that dialect.
    """
    for dialect, lines in report.read_otherwise.items():
        closed = report.closed_otherwise.get(dialect, [])
        yield _reads_otherwise(dialect, lines, closed)
    if report.problems_today is not None:
        found = Counter(it.severity for it in report.problems_today)
        counts = [_counted(found[it], it) for it in SEVERITIES if found[it]]
        yield (
            f'in "{TODAY}", which most robots follow today, the file has '
            f"{' and '.join(counts) or 'no problem'}: see --dialect {TODAY}."
        )


def _counted(number: int, word: str) -> str:
    """Return *number* with the singular or plural of *word*, such as `1 error` or `2
    errors`.
    """
    return f"{number:,} {word}" + "s" * (number != 1 and word != INFO)


def _lines_as_text(report: Report, paint: Paint) -> Iterator[tuple[int, Iterable[str]]]:
    """Yield the number of each line, and the rows that show the line and its effect."""
    if not report.lines:
        yield (
            0,
            [f"{_INDENT}(the file has no lines: every robot may retrieve everything)"],
        )
    for line, effect in zip(report.lines, report.effects, strict=True):
        text = escape_control_chars(line.text.expandtabs(4), _TEXT)
        row = f"{line.number:{len(_INDENT) - 1}} {text:{_TEXT}} "
        # Wrap the effect, because the effect may be too long for the rest of the row.
        first, *others = wrap_and_escape(effect, WIDTH - len(row)) or [""]
        more = [" " * len(row) + paint(it, FAINT) for it in others]
        yield line.number, [(row + paint(first, FAINT)).rstrip(), *more]


def _heading(report: Report) -> str:
    """Return the heading of *report*. The heading contains the name of the file, and says
    how many lines, records and problems the file has.
    """
    counts = {"line": len(report.lines), "record": len(report.records)}
    counts |= {it: found for it in SEVERITIES if (found := report.count(it))}
    shown = ", ".join(_counted(count, word) for word, count in counts.items())
    shown += ", truncated at the size limit" * report.is_truncated
    return f"{escape_control_chars(report.name, WIDTH - len(shown) - 2)}: {shown}"


def _problem_as_text(problem: Problem, paint: Paint) -> Iterator[str]:
    """Yield rows with the position, severity, code, clause, message and fix of *problem*."""
    place = f"{problem.line}:{problem.column}"
    label = f"{place} {problem.severity} {problem.code} ({problem.clause}):"
    width = WIDTH - len(_INDENT) - 2
    first, *others = wrap_and_escape(f"{label} {problem.sentence}", width)
    # The first row contains the whole label, because the label is shorter than a row.
    head, tail = first[: len(label)], first[len(label) :]
    yield f"{_INDENT}^ {paint(head, _STYLES[problem.severity])}{tail}"
    for text in (*others, *wrap_and_escape(problem.fix, width)):
        yield f"{_INDENT}  {text}"


def _reads_otherwise(dialect: str, lines: list[Line], closed: list[str]) -> str:
    """Return the sentence about *lines*, which *dialect* reads differently from the
    dialect of the report.

    *closed* contains robot names. For these names, *dialect* disallows the whole site,
    and the dialect of the report does not.
    """
    fields: dict[str, str] = {}
    for line in lines:
        fields.setdefault(line.field.lower(), escape_control_chars(line.field, 30))
    shown = [*fields.values()][:_SHOWN_FIELDS] + ["…"] * (len(fields) > _SHOWN_FIELDS)
    numbers = f"line{'s' * (len(lines) > 1)} {_runs([line.number for line in lines])}"
    sentence = (
        f'the dialect "{dialect}" reads {numbers} differently ({", ".join(shown)})'
    )
    if closed:
        # 1994 A3 (default record): `*` means the robots that no other record names.
        names = [
            "every robot not named" if it == EVERYBODY else f'"{it}"' for it in closed
        ]
        some = names[:_SHOWN_FIELDS] + ["…"] * (len(names) > _SHOWN_FIELDS)
        sentence += f", and closes the whole site to {', '.join(some)}"
    return f"{sentence}."


def _runs(numbers: list[int]) -> str:
    """Return ascending *numbers* as text such as `2-4, 7`, where `2-4` is a range."""
    runs = []
    for _, run in groupby(enumerate(numbers), key=lambda it: it[1] - it[0]):
        (_, first), *rest = run
        runs.append(f"{first}-{rest[-1][1]}" if rest else str(first))
    return ", ".join(runs)


def as_json(report: Report | Unread) -> dict[str, Any]:
    """Return the lines, records and problems of *report* as a dict for JSON."""
    if isinstance(report, Unread):
        return {"file": report.name, "unread": report.why}
    return {
        "file": report.name,
        "is_truncated": report.is_truncated,
        "lines": list(map(_line_as_json, report.lines, report.effects)),
        "records": list(map(_record_as_json, report.records)),
        "read_otherwise": {
            dialect: [line.number for line in lines]
            for dialect, lines in report.read_otherwise.items()
        },
        "closed_otherwise": report.closed_otherwise,
        "problems": list(map(_problem_as_json, report.problems)),
    }


def _problem_as_json(problem: Problem) -> dict[str, Any]:
    """Return *problem* as a dict for JSON."""
    return {name: getattr(problem, name) for name in _PROBLEM_NAMES}


def _line_as_json(line: Line, effect: str) -> dict[str, Any]:
    """Return *line* and its *effect* as a dict for JSON."""
    kind = line.kind.value
    return {"number": line.number, "kind": kind, "text": line.text, "effect": effect}


def _record_as_json(record: Record) -> dict[str, Any]:
    """Return *record* as a dict for JSON."""
    return {
        "names": record.names,
        "first_line": record.first_line,
        "last_line": record.last_line,
        "disallow": [it.value for it in record.rules if not it.allows],
        "allow": [it.value for it in record.rules if it.allows],
        "crawl_delay": max((it.seconds for it in record.delays), default=None),
    }


def as_annotations(report: Report | Unread) -> Iterator[str]:
    """Yield a GitHub workflow command for each problem. GitHub shows each problem next to
    the line with the problem. For an unread file, yield one command.
    """
    name = _property(report.name)
    if isinstance(report, Unread):
        command = _COMMANDS[report.severity]
        yield f"::{command} file={name}::{_data(report.why)}"
        return
    for problem in report.problems:
        command = _COMMANDS[problem.severity]
        title = _property(f"{problem.code} ({problem.clause})")
        place = f"line={problem.line},col={problem.column}"
        text = _data(f"{problem.sentence} {problem.fix}")
        yield f"::{command} file={name},{place},title={title}::{text}"


def _data(text: str) -> str:
    """Escape *text* for use as the message of a workflow command."""
    return escape_control_chars(text, _MAX_MESSAGE).replace("%", "%25")


def _property(text: str) -> str:
    """Escape *text* for use as a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def summary_as_text(summary: Summary) -> Iterator[str]:
    """Yield a table with one row for each code that was found, and a line with totals."""
    if summary.by_file:
        yield f"{'code':5} {'files':>7} {'places':>9}  {'severity':8} clause  problem"
    row = "{code:5} {files:7,} {places:9,}  {severity:8} {clause:7} {title}"
    yield from map(row.format_map, summary.rows())
    noun = "file" if summary.files == 1 else "files"
    yield f"{summary.files:,} {noun}, {summary.clean:,} without a problem"


def summary_as_json(
    summary: Summary, unread: Iterable[Report | Unread]
) -> dict[str, Any]:
    """Return *summary* and the *unread* files as a dict for JSON."""
    return {
        "files": summary.files,
        "without_problems": summary.clean,
        "unread": list(map(as_json, unread)),
        "problems": list(summary.rows()),
    }
