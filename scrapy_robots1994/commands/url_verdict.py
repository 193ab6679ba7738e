"""UrlVerdict: what one source says of one URL, as a value, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.lint.formats import WIDTH, unpainted
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.commands.policy_source import PolicySource
    from scrapy_robots1994.lint.formats import Paint
    from scrapy_robots1994.parser import Verdict

_MARGIN = 12
ALLOWED, DISALLOWED, UNKNOWN = "allowed", "disallowed", "unknown"
_STYLES = {ALLOWED: "green", DISALLOWED: "red", UNKNOWN: "yellow"}
WORDS = tuple(_STYLES)


@dataclass(frozen=True, slots=True)
class UrlVerdict:
    """What *source* says of *url*.

    *cautious* is the verdict of the cautious reading where that differs. Without a
    source nothing is checked, as of another scheme than http and https.
    """

    url: str
    source: PolicySource | None = None
    verdict: Verdict | None = None
    cautious: Verdict | None = None

    @classmethod
    def of(cls, url: str, source: PolicySource, robot: str | bytes) -> UrlVerdict:
        """Return what *source* says of *url* to *robot*."""
        rules = source.rules
        if rules is None:
            return cls(url, source)
        verdict = rules.rules(robot).verdict(url)
        cautious = None
        if isinstance(rules, RobotsTxt):
            other = rules.read_as("cautious").verdict(url, robot)
            cautious = other if other.allowed != verdict.allowed else None
        return cls(url, source, verdict, cautious)

    @property
    def is_known(self) -> bool:
        """Whether a policy was fetched or read, or none is needed."""
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
            return UNKNOWN
        return ALLOWED if self.allowed else DISALLOWED

    @property
    def note(self) -> str:
        """What one line has room for: the line that decides, or that nothing is known."""
        if self.source is None:
            return "not checked"
        if not self.is_known:
            return "no policy: --explain"
        if self.cautious is not None:
            return "the cautious reading differs"
        line = None if self.verdict is None else self.verdict.line
        return "" if line is None else f"line {line}"

    def lines(self, paint: Paint = unpainted, *, explain: bool) -> Iterator[str]:
        """Yield the lines to print, none wider than a report may be."""
        word = paint(f"{self.word:{_MARGIN}}", _STYLES[self.word])
        note = "" if explain or not self.note else f"  {self.note}"
        width = WIDTH - _MARGIN - len(note)
        url = escape_control_chars(redact_credentials(self.url), width)
        yield f"{word}{url}{note}"
        for text in self._reasons() if explain else ():
            for line in wrap(text, WIDTH - _MARGIN):
                yield " " * _MARGIN + line

    def _reasons(self) -> Iterator[str]:
        """Yield why the verdict is what it is, and what would change it."""
        source = self.source
        if source is None:
            yield "not checked: robots.txt is about http and https alone"
            return
        name = escape_control_chars(source.name, 60)
        if self.verdict is not None:
            whole = self.verdict.explain()
            because = whole.removeprefix(self.word).removeprefix(":").strip()
            yield f"{because} [{name}]"
        if source.why:
            yield f"{name}: {source.why}"
        if self.cautious is not None:
            yield (
                f"the cautious reading says: {self.cautious}; "
                'ROBOTS1994_READING = "cautious" obeys that'
            )

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as what JSON can hold."""
        source = self.source
        return {
            "url": self.url,
            "allowed": self.allowed,
            "is_known": self.is_known,
            "source": None if source is None else source.name,
            "outcome": None if source is None else source.outcome,
            "status": None if source is None else source.status,
            "why": None if source is None else source.why or None,
            "verdict": _plain(self.verdict),
            "cautious": _plain(self.cautious),
        }


def _plain(verdict: Verdict | None) -> dict[str, Any] | None:
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
