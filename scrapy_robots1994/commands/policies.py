"""Sources of verdicts: the policy of an origin, or a file that stands in for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_robots1994.commands.inputs import read_bytes, why_unread
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.policy import Outcome
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.commands.fetch_policies import Found
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.policy.policy import UniformRules


@dataclass(frozen=True, slots=True)
class Source:
    """What decides, and where it comes from.

    *stated* is None when nothing is known of it at all; *why* then says why, and for a
    policy that we set ourselves because none could be had (R5).
    """

    name: str
    stated: RobotsTxt | UniformRules | None
    outcome: str = "file"
    status: int | None = None
    why: str = ""

    @property
    def is_known(self) -> bool:
        """Whether the origin or the file itself states the policy."""
        return self.stated is not None and not self.why


def from_file(name: str, settings: RobotsSettings) -> Source:
    """Return the source that the file *name* is, read by *settings*."""
    try:
        body = read_bytes(name)
    except OSError as error:
        return Source(name, None, why=why_unread(error))
    robots = RobotsTxt.parse(
        body,
        dialect=settings.dialect,
        reading=settings.reading,
        limit=settings.max_bytes,
    )
    return Source(name, robots)


def from_found(name: str, found: Found) -> Source:
    """Return the source that the policy *found* for *name* is."""
    if isinstance(found, Exception):
        why = escape_control_chars(redact_credentials(str(found)), 300)
        return Source(name, None, why=f"{why or type(found).__name__}; ask again")
    why = ""
    if found.outcome is Outcome.UNREACHABLE:
        how = f"HTTP {found.status}" if found.status else "no answer"
        why = f"robots.txt could not be had ({how}, see the log); ask again later"
    return Source(name, found.stated, found.outcome.value, found.status, why)
