"""A report as text for people: at most 100 columns wide, and nothing in it raw."""

from collections.abc import Callable, Iterator
from itertools import groupby
from textwrap import wrap
from typing import TypeAlias

from scrapy_robots1994.checks.problem import (
    ERROR,
    INFO,
    SEVERITIES,
    WARNING,
    Problem,
    sentence,
)
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint.report import Report

WIDTH = 100
_TEXT = 44
_NUMBER = 6

Paint: TypeAlias = Callable[[str, str], str]
"""Returns a text in a style, say `bold red`; where there is no colour, as it is."""

STYLES = {ERROR: "bold red", WARNING: "yellow", INFO: "cyan"}


def unpainted(text: str, _style: str) -> str:
    """Return *text* as it is."""
    return text


def print_report(
    report: Report, paint: Paint = unpainted, *, only_problems: bool = False
) -> Iterator[str]:
    """Yield the lines of *report*: each line of the file with what it does, and below
    it its problems; with *only_problems* those alone.
    """
    yield paint(_head(report), "bold")
    if not (only_problems or report.lines):
        yield "       (no line: every robot may retrieve everything)"
    problems = {
        number: list(them)
        for number, them in groupby(report.problems, key=lambda it: it.line)
    }
    if not only_problems:
        for line, effect in zip(report.lines, report.effects, strict=True):
            text = escape_control_chars(line.text.expandtabs(4), _TEXT)
            row = f"{line.number:{_NUMBER}} {text:{_TEXT}} "
            yield (row + paint(effect, "dim")).rstrip()
            for problem in problems.pop(line.number, ()):
                yield from _problem(problem, paint)
    for rest in problems.values():
        for problem in rest:
            yield from _problem(problem, paint)
    if not only_problems:
        for other in report.otherwise:
            for text in wrap(f"{other}.", WIDTH - _NUMBER - 1):
                yield " " * (_NUMBER + 1) + paint(text, "dim")


def _head(report: Report) -> str:
    """Return the line above a file: its name and the sum of all."""
    counts = [
        _counted(len(report.lines), "line"),
        _counted(len(report.records), "record"),
        *(_counted(report.count[it], it) for it in SEVERITIES if report.count[it]),
    ]
    told = ", ".join(counts) + (", cut at the size limit" if report.is_cut else "")
    return f"{escape_control_chars(report.name, WIDTH - len(told) - 2)}: {told}"


def _problem(problem: Problem, paint: Paint) -> Iterator[str]:
    """Yield one problem: place, severity, code, clause, what it is, how to mend it."""
    place = f"{problem.line}:{problem.column}"
    label = f"{place} {problem.severity} {problem.code} ({problem.clause}):"
    indent = " " * (_NUMBER + 1)
    first, *others = wrap(f"{label} {sentence(problem)}", WIDTH - len(indent) - 2)
    style = STYLES[problem.severity]
    # The label holds no long word, so it is not broken at its end.
    head, tail = first[: len(label)], first[len(label) :]
    yield f"{indent}^ {paint(head, style)}{tail}"
    for text in (*others, *wrap(problem.fix, WIDTH - len(indent) - 2)):
        yield f"{indent}  {text}"


def _counted(number: int, word: str) -> str:
    """Return *number* and *word*, which is told in the plural where it is not one."""
    plural = word if number == 1 or word == INFO else f"{word}s"
    return f"{number:,} {plural}"
