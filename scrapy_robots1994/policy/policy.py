"""`Policy` (the rules of one origin, and how long they apply) and its factory `policy_from`."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser import Reason, Rules, Verdict
from scrapy_robots1994.parser.rules import ROBOTS_TXT
from scrapy_robots1994.parser.spellings import canonical
from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

CLOCK_SKEW = 60.0
"""How far the date of a policy may be ahead of our clock, in seconds."""

PAUSE = 300.0
"""In seconds: the shortest lifetime that headers can give a file, the shortest pause after a
failure, and the longest lifetime of a 401 or 403 that came through a proxy.
"""


class FreshnessSettings(NamedTuple):
    """How long policies are used, in seconds, and which outcomes without a file allow all URLs."""

    ttl: float
    stale_ttl: float
    allowing: Collection[Outcome]


@dataclass(frozen=True, slots=True)
class UniformRules:
    """The rules for an origin without a readable file: *usual* is the verdict on every URL except
    /robots.txt, which is allowed.
    """

    usual: Verdict

    # An origin without a file has no delays and no ignored lines.
    crawl_delay = ignored = None
    size = memory_bytes = 0

    def rules(self, _robot: str | bytes) -> "UniformRules":
        return self

    def allowed(self, url: str) -> bool:
        # Ours O22
        return self.usual.allowed or is_robots_txt(url)

    def verdict(self, url: str) -> Verdict:
        if not self.usual.allowed and is_robots_txt(url):
            return Verdict(allowed=True, reason=Reason.ROBOTS_TXT)
        return self.usual


def is_robots_txt(url: str) -> bool:
    """Whether *url*, in any percent-encoding, is the URL of a robots.txt (Ours O22, O18)."""
    return canonical(target_of(url)) == ROBOTS_TXT


class Policy(NamedTuple):
    """The rules of *origin*, and how long they apply. Times are in seconds since the epoch."""

    origin: Origin
    outcome: Outcome
    stated: RobotsTxt | UniformRules
    """The parsed file (Ours R1), or the rules that apply without one."""
    status: int | None
    fetched_at: float
    fresh_until: float
    keep_until: float
    """Until this time, the stale policy may decide if it cannot be refreshed (Ours R5)."""
    final_url: str | None = None
    """The last URL requested, or None if no redirect was followed."""
    failure: str | None = None
    """Why the last fetch failed, if it did."""
    is_stale_on_error: bool = False
    """Whether the policy remains in use because an attempt to refresh it failed."""

    def rules(self, robot: str | bytes) -> Rules:
        """Return the rules for *robot*, a bare name or a whole User-Agent header."""
        return self.stated.rules(robot)

    @property
    def robots(self) -> RobotsTxt | None:
        """The parsed file, or None if the policy does not come from a file."""
        return None if isinstance(self.stated, UniformRules) else self.stated

    def is_fresh(self, now: float) -> bool:
        """Whether the policy is fresh at *now* and dated at most `CLOCK_SKEW` after *now*."""
        return self.fetched_at <= now + CLOCK_SKEW and now < self.fresh_until

    def last_good(self, now: float) -> "Policy | None":
        """Return this policy, or None if it must not be used at *now* after a failed refresh."""
        is_good = self.outcome is not Outcome.UNREACHABLE and now < self.keep_until
        return self if is_good else None


def policy_from(
    origin: Origin,
    answer: Answer,
    reader: Reader,
    freshness: FreshnessSettings,
    last: Policy | None = None,
) -> Policy:
    """Make the policy of *origin* from *answer*.

    If the origin is unreachable (Ours R5), the policy *last* remains in use until its `keep_until`.
    """
    row, at = answer.outcome.row, answer.fresh_from or answer.fetched_at
    lifetime, keep, failure = freshness.ttl, freshness.stale_ttl, None
    if not row.is_answer:
        # Ours 3.1: the Retry-After of a proxy is ignored.
        asked = 0.0 if answer.via_proxy else answer.retry_after or 0.0
        lifetime, keep, failure = max(min(asked, lifetime), PAUSE), 0.0, answer.words
        if last := last and last.last_good(at):
            return last._replace(
                # Our clock may have been set back, and a policy with a future date is not fresh.
                fetched_at=min(last.fetched_at, at),
                fresh_until=min(at + lifetime, last.keep_until),
                failure=failure,
                is_stale_on_error=True,
            )
    elif row.reads_body and answer.lifetime is not None:
        lifetime = min(max(answer.lifetime, PAUSE), lifetime)
    if answer.via_proxy and not row.is_trusted:
        # Ours 3.1: the status may be the proxy's.
        lifetime, keep = min(lifetime, PAUSE), 0.0
    fresh_until = at + min(lifetime, row.max_lifetime)
    stated: RobotsTxt | UniformRules
    if row.reason is None:
        stated = reader.read(answer.body, is_truncated=answer.is_truncated)
    else:
        verdict = Verdict(
            allowed=row.outcome in freshness.allowing,
            reason=row.reason,
            status=answer.status,
            failure=failure,
        )
        stated = UniformRules(verdict)
    return Policy(
        origin=origin,
        outcome=row.outcome,
        stated=stated,
        status=answer.status,
        fetched_at=answer.fetched_at,
        fresh_until=fresh_until,
        keep_until=fresh_until + keep,
        final_url=answer.final_url,
        failure=failure,
    )
