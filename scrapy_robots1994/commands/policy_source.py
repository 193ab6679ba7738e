"""PolicySource: what decides about URLs, the policy of an origin or a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from scrapy_robots1994.commands.inputs import read_bytes, why_unread
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.policy import Outcome, Policy
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.policy.policy import UniformRules

Found: TypeAlias = "Policy | Exception"
"""The policy of an origin, or why there is none."""


@dataclass(frozen=True, slots=True)
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
