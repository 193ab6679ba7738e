"""A report for programs: JSON, and the annotations of GitHub's workflows."""

from collections.abc import Iterator
from typing import Any

from scrapy_robots1994.checks.problem import ERROR, INFO, WARNING, sentence
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint.report import Report, Unread
from scrapy_robots1994.parser import Record

_COMMANDS = {ERROR: "error", WARNING: "warning", INFO: "notice"}


def as_json(report: Report | Unread) -> dict[str, Any]:
    """Return *report* as what JSON can hold: file, lines, records and problems."""
    if isinstance(report, Unread):
        return {"file": report.name, "unread": report.why}
    return {
        "file": report.name,
        "is_cut": report.is_cut,
        "lines": [
            {
                "number": line.number,
                "kind": line.kind.value,
                "text": line.text,
                "effect": effect,
            }
            for line, effect in zip(report.lines, report.effects, strict=True)
        ],
        "records": [_record(record) for record in report.records],
        "read_otherwise": {it.dialect: it.lines for it in report.otherwise},
        "problems": [
            {
                "code": problem.code,
                "line": problem.line,
                "column": problem.column,
                "severity": problem.severity,
                "clause": problem.clause,
                "weakens_policy": problem.weakens_policy,
                "message": problem.message,
                "fix": problem.fix,
            }
            for problem in report.problems
        ],
    }


def _record(record: Record) -> dict[str, Any]:
    """Return one record as what JSON can hold."""
    return {
        "names": record.names,
        "first_line": record.first_line,
        "last_line": record.last_line,
        "disallow": [it.value for it in record.rules if not it.allows],
        "allow": [it.value for it in record.rules if it.allows],
        "crawl_delay": max((it.seconds for it in record.delays), default=None),
    }


def as_annotations(report: Report | Unread) -> Iterator[str]:
    """Yield a workflow command for each problem, which GitHub shows beside its line."""
    if isinstance(report, Unread):
        command = "error" if report.is_fault else "notice"
        yield f"::{command} file={_property(report.name)}::{_data(report.why)}"
        return
    for problem in report.problems:
        yield (
            f"::{_COMMANDS[problem.severity]} file={_property(report.name)},"
            f"line={problem.line},col={problem.column},"
            f"title={_property(f'{problem.code} ({problem.clause})')}"
            f"::{_data(f'{sentence(problem)} {problem.fix}')}"
        )


def _data(text: str) -> str:
    """Return *text* as the message of a workflow command holds it."""
    return escape_control_chars(text, 1_000).replace("%", "%25")


def _property(text: str) -> str:
    """Return *text* as a property of a workflow command holds it."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
