"""Findings of `robots-check`: what a source says of a URL, as values and in print."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.lint.text import WIDTH, unpainted
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_robots1994.commands.policies import Source
    from scrapy_robots1994.lint.text import Paint
    from scrapy_robots1994.parser import Verdict

_MARGIN = 12
_STYLES = {"allowed": "green", "disallowed": "red", "not known": "yellow"}


@dataclass(frozen=True, slots=True)
class Finding:
    """What *source* says of *url*.

    *cautious* is the verdict of the cautious reading where that differs. Without a
    source nothing is checked, as of another scheme than http and https.
    """

    url: str
    source: Source | None = None
    verdict: Verdict | None = None
    cautious: Verdict | None = None

    @property
    def is_known(self) -> bool:
        """Whether a policy could be had, or none is needed."""
        return self.source is None or self.source.is_known

    @property
    def allowed(self) -> bool:
        """Whether a crawl would retrieve the URL."""
        return self.source is None or (
            self.verdict is not None and self.verdict.allowed
        )

    @property
    def word(self) -> str:
        """The answer in a word."""
        if self.source is not None and self.verdict is None:
            return "not known"
        return "allowed" if self.allowed else "disallowed"


def judged(url: str, source: Source, robot: str | bytes) -> Finding:
    """Return what *source* says of *url* to *robot*."""
    stated = source.stated
    if stated is None:
        return Finding(url, source)
    verdict = stated.rules(robot).verdict(url)
    cautious = None
    if isinstance(stated, RobotsTxt):
        other = stated.read_as("cautious").verdict(url, robot)
        cautious = other if other.allowed != verdict.allowed else None
    return Finding(url, source, verdict, cautious)


def print_finding(finding: Finding, paint: Paint = unpainted) -> Iterator[str]:
    """Yield the lines that tell *finding*, none wider than a report may be."""
    word = paint(f"{finding.word:{_MARGIN}}", _STYLES[finding.word])
    yield word + escape_control_chars(redact_credentials(finding.url), WIDTH - _MARGIN)
    for text in _reasons(finding):
        for line in wrap(text, WIDTH - _MARGIN):
            yield " " * _MARGIN + line


def _reasons(finding: Finding) -> Iterator[str]:
    """Yield why the finding is what it is, and what would change it."""
    source = finding.source
    if source is None:
        yield "not checked: robots.txt speaks for http and https alone"
        return
    name = escape_control_chars(source.name, 60)
    if finding.verdict is not None:
        whole = finding.verdict.explain()
        because = whole.removeprefix(finding.word).removeprefix(":").strip()
        yield f"{because} [{name}]"
    if source.why:
        yield f"{name}: {source.why}"
    if finding.cautious is not None:
        yield (
            f"the cautious reading says: {finding.cautious}; "
            'ROBOTS1994_READING = "cautious" obeys that'
        )


def sum_of(findings: Sequence[Finding], robot: str | bytes) -> str:
    """Return the line below all findings."""
    text = robot.decode("utf-8", "replace") if isinstance(robot, bytes) else robot
    words = Counter(finding.word for finding in findings)
    counts = f"{words['allowed']:,} allowed, {words['disallowed']:,} disallowed"
    unknown = sum(not finding.is_known for finding in findings)
    if unknown:
        counts += f"; a policy could not be had for {unknown:,}"
    return f'{counts}; asked as "{escape_control_chars(text, 60)}"'


def as_json(finding: Finding) -> dict[str, Any]:
    """Return *finding* as what JSON can hold."""
    source = finding.source
    return {
        "url": finding.url,
        "allowed": finding.allowed,
        "is_known": finding.is_known,
        "source": None if source is None else source.name,
        "outcome": None if source is None else source.outcome,
        "status": None if source is None else source.status,
        "why": None if source is None else source.why or None,
        "verdict": _verdict(finding.verdict),
        "cautious": _verdict(finding.cautious),
    }


def _verdict(verdict: Verdict | None) -> dict[str, Any] | None:
    """Return *verdict* as what JSON can hold."""
    if verdict is None:
        return None
    record = verdict.record
    return {
        "allowed": verdict.allowed,
        "reason": verdict.reason.value,
        "line": verdict.line,
        "rule": verdict.rule,
        "record": None
        if record is None
        else {
            "names": record.names,
            "first_line": record.first_line,
            "last_line": record.last_line,
        },
        "explanation": verdict.explain(),
    }
