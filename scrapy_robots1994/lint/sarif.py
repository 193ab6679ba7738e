"""Reports as one SARIF 2.1.0 log, which code hosts and editors show beside lines."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.checks.problem import ERROR, INFO, WARNING, Problem, sentence
from scrapy_robots1994.lint.report import Report, Unread

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {ERROR: "error", WARNING: "warning", INFO: "note"}
_INDEX = {kind.code: index for index, kind in enumerate(KINDS)}


def as_sarif(reports: Iterable[Report | Unread], version: str) -> dict[str, Any]:
    """Return the log of *reports*, as what JSON can hold; *version* is ours."""
    results, notes, is_read = [], [], True
    for report in reports:
        if isinstance(report, Unread):
            notes.append(_unread(report))
            is_read = is_read and not report.is_fault
        else:
            results += [_result(report.name, problem) for problem in report.problems]
    rules = [
        {
            "id": kind.code,
            "shortDescription": {"text": f"{kind.title} ({kind.clause})"},
            "help": {"text": kind.fix},
            "defaultConfiguration": {"level": _LEVELS[kind.severity]},
        }
        for kind in KINDS
    ]
    driver = {"name": "robots-lint", "version": version, "rules": rules}
    invocation = {
        "executionSuccessful": is_read,
        "toolExecutionNotifications": notes,
    }
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    # Columns count what Python calls characters.
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [run | {"columnKind": "unicodeCodePoints"}],
    }


def _result(name: str, problem: Problem) -> dict[str, Any]:
    """Return one problem."""
    region = {"startLine": problem.line, "startColumn": problem.column}
    return {
        "ruleId": problem.code,
        "ruleIndex": _INDEX[problem.code],
        "level": _LEVELS[problem.severity],
        "message": {"text": f"{sentence(problem)} {problem.fix}"},
        "locations": [{"physicalLocation": _physical(name) | {"region": region}}],
        "properties": {"clause": problem.clause, "opensSite": problem.weakens_policy},
    }


def _unread(report: Unread) -> dict[str, Any]:
    """Return the note of a file that could not be read."""
    return {
        "level": "error" if report.is_fault else "note",
        "message": {"text": report.why},
        "locations": [{"physicalLocation": _physical(report.name)}],
    }


def _physical(name: str) -> dict[str, Any]:
    """Return where a file is; a URL stays as it is."""
    uri = name if "://" in name else quote(name, errors="surrogateescape")
    return {"artifactLocation": {"uri": uri}}
