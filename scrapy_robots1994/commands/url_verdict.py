"""PolicySource and UrlVerdict: what decides about URLs, and what it says of one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

from scrapy_robots1994.commands.inputs import is_url, read_bytes, why_unread
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.lint.formats import WIDTH, Paint, unpainted
from scrapy_robots1994.policy import Outcome, Policy
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.crawl.requests import Exemption
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.parser import Verdict
    from scrapy_robots1994.policy.policy import UniformRules

_MARGIN = 12
_STYLES = {"allowed": "green", "disallowed": "red", "unknown": "yellow"}

Found: TypeAlias = "Policy | Exception"
"""The policy of an origin, or the error that there is in its place."""


@dataclass(frozen=True)
class PolicySource:
    """What decides, and where it comes from: the policy of an origin, or a file.

    *rules* is None when nothing is known of them at all; *why* then says why, and for a
    policy that we set ourselves because the fetch failed (R5).
    """

    name: str
    rules: RobotsTxt | UniformRules | None
    outcome: str = "file"
    status: int | None = None
    why: str = ""
    policy: Policy | None = None

    @property
    def is_known(self) -> bool:
        """Whether the origin or the file itself states the policy."""
        return self.rules is not None and not self.why

    @cached_property
    def cautious(self) -> RobotsTxt | None:
        """The same file in the cautious reading, made once for all URLs."""
        rules = self.rules
        return rules.read_as("cautious") if isinstance(rules, RobotsTxt) else None

    @classmethod
    def from_file(cls, name: str, settings: RobotsSettings) -> PolicySource:
        """Return the source that the file *name* is, read by *settings*."""
        try:
            body = read_bytes(name)
        except OSError as error:
            return cls(name, None, why=why_unread(error))
        robots = RobotsTxt.parse(
            body,
            dialect=settings.dialect,
            reading=settings.reading,
            limit=settings.max_bytes,
        )
        return cls(name, robots)

    @classmethod
    def from_found(cls, name: str, found: Found) -> PolicySource:
        """Return the source that the policy *found* for *name* is."""
        if isinstance(found, Exception):
            why = escape_control_chars(redact_credentials(str(found)), 300)
            return cls(name, None, why=f"{why or type(found).__name__}; try again")
        why = ""
        if found.outcome is Outcome.UNREACHABLE:
            how = f"HTTP {found.status}" if found.status else "no answer"
            why = f"could not fetch robots.txt ({how}, see the log); try again later"
        return cls(name, found.stated, found.outcome.value, found.status, why, found)


@dataclass(frozen=True, slots=True)
class UrlVerdict:
    """What *source* says of *url*.

    *cautious* is the verdict of the cautious reading where that differs. A URL that a
    crawl does not check has an *exemption* and no source.
    """

    url: str
    source: PolicySource | None = None
    verdict: Verdict | None = None
    cautious: Verdict | None = None
    exemption: Exemption | None = None

    @classmethod
    def of(cls, url: str, source: PolicySource, robot: str | bytes) -> UrlVerdict:
        """Return what *source* says of *url* to *robot*."""
        rules = source.rules
        if rules is None:
            return cls(url, source)
        verdict = rules.rules(robot).verdict(url)
        cautious = None
        if source.cautious is not None:
            other = source.cautious.verdict(url, robot)
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
            return "unknown"
        return "allowed" if self.allowed else "disallowed"

    @property
    def why(self) -> str:
        """Why nothing is checked, or why the policy is not known."""
        if self.source is None:
            return self.exemption.value if self.exemption else ""
        return self.source.why

    @property
    def note(self) -> str:
        """A few words: the line that decides, or that nothing is known."""
        if self.source is None:
            return "not checked"
        if not self.is_known:
            return "no policy: --explain"
        if self.cautious is not None:
            return "the cautious reading differs"
        line = None if self.verdict is None else self.verdict.line
        return "" if line is None else f"line {line}"

    def lines(
        self, paint: Paint = unpainted, *, explain: bool, is_one_of: bool = False
    ) -> Iterator[str]:
        """Yield the lines to print, none wider than a report may be.

        *is_one_of* says that other sources decide about the same URL.
        """
        word = paint(f"{self.word:{_MARGIN}}", _STYLES[self.word])
        parts = [] if explain or not self.note else [self.note]
        # A file that cannot be read is named by a note, once.
        if is_one_of and not explain and self.source and self.source.rules:
            parts.append(f"[{escape_control_chars(self.source.name, 50)}]")
        note = "".join(f"  {part}" for part in parts)
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
            yield f"not checked: {self.why}"
            return
        name = escape_control_chars(source.name, 60)
        if self.verdict is not None:
            whole = self.verdict.explain()
            because = whole.removeprefix(self.word).removeprefix(":").strip()
            yield f"{because} [{name}]"
        if source.rules is None and not is_url(source.name):
            # A note names the file and the reason, once.
            yield "its robots.txt could not be read"
        elif source.why:
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
            "source": getattr(source, "name", None),
            "outcome": getattr(source, "outcome", None),
            "status": getattr(source, "status", None),
            "why": self.why or None,
            "verdict": _verdict_as_json(self.verdict),
            "cautious": _verdict_as_json(self.cautious),
        }


def _verdict_as_json(verdict: Verdict | None) -> dict[str, Any] | None:
    """Return *verdict* as what JSON can hold."""
    if verdict is None:
        return None
    record = verdict.record
    named = ("names", "first_line", "last_line")
    return {
        "allowed": verdict.allowed,
        "reason": verdict.reason.value,
        "line": verdict.line,
        "rule": verdict.rule,
        "record": record and {name: getattr(record, name) for name in named},
        "explanation": verdict.explain(),
    }
