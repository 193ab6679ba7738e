"""Policy: what we hold true of one origin, because of what, and until when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.policy.fetch_result import RobotsResponse, Validators
from scrapy_robots1994.policy.outcome import Outcome, outcome_of
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy.fetch_result import FetchError
    from scrapy_robots1994.policy.freshness import FreshnessSettings


class Rules(Protocol):
    """What a policy says to one robot: a `RobotRules` of a file, or a `UniformRules`."""

    @property
    def crawl_delay(self) -> float | None:
        """The seconds between two requests that are asked for, if any are."""

    def allowed_url(self, url: str) -> bool:
        """Whether *url* may be fetched."""

    def verdict(self, url: str) -> Verdict:
        """The same with its reason."""


@dataclass(frozen=True, slots=True)
class UniformRules:
    """One answer for every URL of an origin, where there is no file to read."""

    is_open: bool
    reason: Reason

    @property
    def crawl_delay(self) -> None:
        """No file asks for a delay."""
        return

    def rules(self, _robot: str | bytes) -> UniformRules:
        """What it says to a robot: to all the same, so itself."""
        return self

    def allowed_url(self, url: str) -> bool:
        """Whether *url* may be fetched; /robots.txt itself always (Ours O22)."""
        return self.is_open or target_of(url) == "/robots.txt"

    def verdict(self, url: str) -> Verdict:
        """The blanket answer for *url* with its reason; no line, as no file decided."""
        if not self.is_open and target_of(url) == "/robots.txt":
            return Verdict(allowed=True, reason=Reason.ROBOTS_TXT)
        return Verdict(allowed=self.is_open, reason=self.reason)


@dataclass(frozen=True, slots=True)
class Policy:
    """What we hold true of *origin*; times are seconds since the epoch.

    Fresh until *fresh_until*, then usable beside a refresh until *stale_until*; after
    *keep_until* it is forgotten. *stated* decides: the parsed file where there is one
    (R1), otherwise a blanket. *promised* is the freshness the server promised, in
    seconds. *stands_in* is `True` when the last attempt to renew it failed and it
    stands as the last good policy (R5).
    """

    origin: Origin
    outcome: Outcome
    stated: RobotsTxt | UniformRules
    status: int | None
    fetched_at: float
    fresh_until: float
    stale_until: float
    keep_until: float
    etag: str | None = None
    last_modified: str | None = None
    final_url: str | None = None
    promised: float | None = None
    stands_in: bool = False

    def rules(self, robot: str | bytes) -> Rules:
        """What this policy says to *robot* (bare name or whole User-Agent header)."""
        return self.stated.rules(robot)

    @property
    def robots(self) -> RobotsTxt | None:
        """The parsed file, where there is one (R1)."""
        return None if isinstance(self.stated, UniformRules) else self.stated

    @property
    def validators(self) -> Validators | None:
        """What renews this policy without its file being sent again, if anything."""
        # Of a cut file a 304 would keep the rest from us, whatever the limit is now.
        if self.robots is None or self.robots.is_truncated:
            return None
        if (self.etag, self.last_modified) == (None, None):
            return None
        url = self.final_url or self.origin.robots_url
        return Validators(url, self.etag, self.last_modified)

    @property
    def is_known(self) -> bool:
        """Whether the origin itself stated this policy (R1, R3, R4), not we (R5)."""
        return self.outcome is not Outcome.UNREACHABLE


def settle(
    origin: Origin,
    answer: RobotsResponse,
    robots: RobotsTxt | None,
    now: float,
    terms: FreshnessSettings,
) -> Policy:
    """The policy that *answer* states (R1, R3, R4), or that we set for it (R5).

    *robots* is the parsed body where the outcome is R1; without it nothing is known.
    """
    stated: RobotsTxt | UniformRules
    promised = None
    match outcome_of(answer.status), robots:
        case Outcome.FORBIDDEN as outcome, _:
            stated = UniformRules(terms.forbidden_allows, Reason.FORBIDDEN)
        case Outcome.ABSENT as outcome, _:
            stated = UniformRules(is_open=True, reason=Reason.ABSENT)
        case Outcome.PARSED as outcome, RobotsTxt():
            stated, promised = robots, answer.lifetime
        case _:
            return unknown(origin, answer, now, terms)
    fresh_until = now + terms.lifetime(promised)
    keep_until = fresh_until + terms.stale_ttl
    return Policy(
        origin=origin,
        outcome=outcome,
        stated=stated,
        status=answer.status,
        fetched_at=now,
        fresh_until=fresh_until,
        stale_until=min(fresh_until + terms.grace, keep_until),
        keep_until=keep_until,
        etag=answer.etag,
        last_modified=answer.last_modified,
        final_url=answer.final_url,
        promised=promised,
    )


def renew(
    last: Policy, answer: RobotsResponse, now: float, terms: FreshnessSettings
) -> Policy:
    """Ours R1 with a 304: what *last* states holds anew, nothing is parsed.

    What the 304 says of freshness and validators replaces what was known, and what it
    leaves out stays (RFC 9111, 4.3.4).
    """
    promised = last.promised if answer.lifetime is None else answer.lifetime
    fresh_until = now + terms.lifetime(promised)
    keep_until = fresh_until + terms.stale_ttl
    return replace(
        last,
        fetched_at=now,
        fresh_until=fresh_until,
        stale_until=min(fresh_until + terms.grace, keep_until),
        keep_until=keep_until,
        etag=answer.etag or last.etag,
        last_modified=answer.last_modified or last.last_modified,
        promised=promised,
        stands_in=False,
    )


def unknown(
    origin: Origin,
    answer: RobotsResponse | FetchError,
    now: float,
    terms: FreshnessSettings,
) -> Policy:
    """Ours R5: nothing is known and nothing was; one answer for all, for a while.

    "Absent" never means "allowed" here unless the user set it so
    (`ROBOTS1994_UNREACHABLE = "allow"`).
    """
    retry_at = now + terms.pause(_retry_after(answer))
    return Policy(
        origin=origin,
        outcome=Outcome.UNREACHABLE,
        stated=UniformRules(terms.unreachable_allows, Reason.UNREACHABLE),
        status=answer.status if isinstance(answer, RobotsResponse) else None,
        fetched_at=now,
        fresh_until=retry_at,
        stale_until=retry_at,
        keep_until=retry_at,
    )


def prolong(
    last: Policy,
    answer: RobotsResponse | FetchError,
    now: float,
    terms: FreshnessSettings,
) -> Policy:
    """Ours R5 with a last good policy: it stands until asked again.

    *last* must still be within its `keep_until`, which does not move: a policy stands
    in for at most `stale_ttl` seconds, however often renewing it fails.
    """
    # Where the clock went back, the policy goes back with it: left in the future, it
    # would be asked for again by every request, without a pause.
    ahead = max(last.fetched_at - now, 0.0)
    keep_until = last.keep_until - ahead
    retry_at = min(now + terms.pause(_retry_after(answer)), keep_until)
    return replace(
        last,
        fetched_at=last.fetched_at - ahead,
        fresh_until=retry_at,
        stale_until=min(retry_at + terms.grace, keep_until),
        keep_until=keep_until,
        stands_in=True,
    )


def _retry_after(answer: RobotsResponse | FetchError) -> float | None:
    """The server's Retry-After in seconds, if it answered and sent one."""
    return answer.retry_after if isinstance(answer, RobotsResponse) else None
