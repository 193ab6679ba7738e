"""Policy: the rules of one origin, where they come from, and how long they apply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from sys import getsizeof
from typing import TYPE_CHECKING, Protocol

from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.policy.fetch_result import (
    Outcome,
    RobotsResponse,
    Validators,
    is_of_origin,
    outcome_of,
)
from scrapy_robots1994.policy.freshness import CLOCK_SKEW, MAX_FORBIDDEN_LIFETIME
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy.fetch_result import FetchError
    from scrapy_robots1994.policy.freshness import FreshnessSettings


class Rules(Protocol):
    """What a policy says to one robot: a `RobotRules` of a file, or a `UniformRules`."""

    @property
    def crawl_delay(self) -> float | None:
        """The Crawl-delay of the file in seconds, if it has one."""

    def allowed_url(self, url: str) -> bool:
        """Return whether *url* may be fetched."""

    def verdict(self, url: str) -> Verdict:
        """Return the same decision with its reason."""


@dataclass(frozen=True, slots=True)
class UniformRules:
    """One answer for every URL of an origin, where there is no file to read."""

    is_open: bool
    reason: Reason

    # No file states a delay.
    crawl_delay = None

    @property
    def memory_bytes(self) -> int:
        """The memory of this object in bytes."""
        return getsizeof(self)

    def rules(self, _robot: str | bytes) -> UniformRules:
        """Return this object: every robot gets the same answer."""
        return self

    def allowed_url(self, url: str) -> bool:
        """Return whether *url* may be fetched; /robots.txt itself always may (Ours O22)."""
        return self.is_open or target_of(url) == "/robots.txt"

    def verdict(self, url: str) -> Verdict:
        """Return the answer for *url* with its reason, and without a line."""
        if not self.is_open and target_of(url) == "/robots.txt":
            return Verdict(allowed=True, reason=Reason.ROBOTS_TXT)
        return Verdict(allowed=self.is_open, reason=self.reason)


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of *origin* and until when they apply; times are seconds since the epoch.

    Fresh until *fresh_until*, then usable during its refresh until *stale_until*, and
    the last good policy until *keep_until* (R5). *stated* decides: the parsed file
    if there is one (R1), otherwise one answer for every URL. *freshness_lifetime* is
    that of the response, in seconds. *is_stale_on_error* says that the last refresh
    failed. *may_be_shared* says that the origin itself stated all this over HTTP, so
    that a store may share it with other crawls.
    """

    origin: Origin
    outcome: Outcome
    stated: RobotsTxt | UniformRules
    status: int | None
    fetched_at: float
    fresh_until: float = 0.0
    stale_until: float = 0.0
    keep_until: float = 0.0
    etag: str | None = None
    last_modified: str | None = None
    final_url: str | None = None
    freshness_lifetime: float | None = None
    is_stale_on_error: bool = False
    may_be_shared: bool = True

    @classmethod
    def from_response(
        cls,
        origin: Origin,
        response: RobotsResponse,
        robots: RobotsTxt | None,
        now: float,
        freshness: FreshnessSettings,
    ) -> Policy:
        """Return the policy that *response* states (R1, R3, R4) or leaves open (R5).

        *robots* is the parsed body if the outcome is R1; without it nothing is known.
        """
        stated: RobotsTxt | UniformRules
        promised = None
        match outcome_of(response.status), robots:
            case Outcome.FORBIDDEN as outcome, _:
                stated = UniformRules(freshness.forbidden_allows, Reason.FORBIDDEN)
            case Outcome.ABSENT as outcome, _:
                stated = UniformRules(is_open=True, reason=Reason.ABSENT)
            case Outcome.PARSED as outcome, RobotsTxt():
                stated, promised = robots, response.freshness_lifetime
            case _:
                return cls.unreachable(origin, response, now, freshness)
        policy = cls(
            origin=origin,
            outcome=outcome,
            stated=stated,
            status=response.status,
            fetched_at=now,
            etag=response.etag,
            last_modified=response.last_modified,
            final_url=response.final_url,
            freshness_lifetime=promised,
            may_be_shared=is_of_origin(response),
        )
        return _stated_at(policy, now, freshness)

    def revalidated(
        self, response: RobotsResponse, now: float, freshness: FreshnessSettings
    ) -> Policy:
        """Ours R1 with a 304: return this policy, fresh again; nothing is parsed.

        The freshness and validators of the 304 replace the known ones; those that it
        omits stay (RFC 9111, 4.3.4).
        """
        lifetime = response.freshness_lifetime
        renewed = replace(
            self,
            fetched_at=now,
            etag=response.etag or self.etag,
            last_modified=response.last_modified or self.last_modified,
            freshness_lifetime=self.freshness_lifetime
            if lifetime is None
            else lifetime,
            is_stale_on_error=False,
            may_be_shared=True,
        )
        return _stated_at(renewed, now, freshness)

    @classmethod
    def unreachable(
        cls,
        origin: Origin,
        result: RobotsResponse | FetchError,
        now: float,
        freshness: FreshnessSettings,
    ) -> Policy:
        """Ours R5 without a last good policy: one answer for every URL, for a while.

        "Absent" never means "allowed" here unless the user set it so
        (`ROBOTS1994_UNREACHABLE = "allow"`).
        """
        retry_at = now + _retry_delay(result, freshness)
        return cls(
            origin=origin,
            outcome=Outcome.UNREACHABLE,
            stated=UniformRules(freshness.unreachable_allows, Reason.UNREACHABLE),
            status=result.status if isinstance(result, RobotsResponse) else None,
            fetched_at=now,
            fresh_until=retry_at,
            stale_until=retry_at,
            keep_until=retry_at,
            may_be_shared=is_of_origin(result),
        )

    def stale_on_error(
        self,
        result: RobotsResponse | FetchError,
        now: float,
        freshness: FreshnessSettings,
    ) -> Policy:
        """Ours R5 with a last good policy: return this one, until the next fetch.

        It must still be within its *keep_until*, which does not change: it is used for at
        most `stale_if_error` seconds, however often refreshing it fails.
        """
        # If the clock was set back, the policy is dated back as well: left in the future,
        # every request would fetch it again, without a pause.
        ahead = max(self.fetched_at - now, 0.0)
        keep_until = self.keep_until - ahead
        retry_at = min(now + _retry_delay(result, freshness), keep_until)
        return replace(
            self,
            fetched_at=self.fetched_at - ahead,
            fresh_until=retry_at,
            stale_until=min(retry_at + freshness.stale_while_revalidate, keep_until),
            keep_until=keep_until,
            is_stale_on_error=True,
            may_be_shared=is_of_origin(result),
        )

    def rules(self, robot: str | bytes) -> Rules:
        """Return the rules for *robot* (bare name or whole User-Agent header)."""
        return self.stated.rules(robot)

    @property
    def robots(self) -> RobotsTxt | None:
        """The parsed file, where there is one (R1)."""
        return None if isinstance(self.stated, UniformRules) else self.stated

    @property
    def validators(self) -> Validators | None:
        """The values by which a server can confirm this policy without sending its file."""
        # A 304 would hide the rest of a truncated file if the limit was raised since.
        if self.robots is None or self.robots.is_truncated:
            return None
        # Without a validator the file has to be sent again.
        if (self.etag, self.last_modified) == (None, None):
            return None
        url = self.final_url or self.origin.robots_url
        return Validators(url, self.etag, self.last_modified)

    @property
    def is_known(self) -> bool:
        """Whether this policy comes from an answer of the origin (R1, R3, R4), not from R5."""
        return self.outcome is not Outcome.UNREACHABLE

    def is_fresh(self, now: float) -> bool:
        """Return whether to use it at *now* (seconds since the epoch) as it is.

        One dated in the future (the clock went back) is fetched again.
        """
        return self.fetched_at <= now + CLOCK_SKEW and now < self.fresh_until

    def is_usable(self, now: float) -> bool:
        """Return whether to use it at *now*: fresh, or stale while it is refreshed.

        A policy made without an answer of the origin (R5) is never used
        past its freshness.
        """
        end = self.stale_until if self.is_known else self.fresh_until
        return self.fetched_at <= now + CLOCK_SKEW and now < end

    def last_good(self, now: float) -> Policy | None:
        """Return it if a failed fetch at *now* leaves it in force (R5), else `None`."""
        return self if self.is_known and now < self.keep_until else None

    @property
    def memory_bytes(self) -> int:
        """An estimate of its memory in bytes, including its compiled rules."""
        texts = (self.origin.host, self.etag, self.last_modified, self.final_url)
        own = getsizeof(self) + sum(getsizeof(text) for text in texts if text)
        return own + self.stated.memory_bytes


def _retry_delay(
    result: RobotsResponse | FetchError, freshness: FreshnessSettings
) -> float:
    """Return the seconds until an origin that gave *result* is requested again."""
    # §3.1: a proxy cannot impose its Retry-After.
    if isinstance(result, RobotsResponse) and not result.via_plain_proxy:
        return freshness.retry_delay(result.retry_after)
    return freshness.retry_delay(None)


def _stated_at(policy: Policy, now: float, freshness: FreshnessSettings) -> Policy:
    """Return *policy* with the times of one that was stated at *now*."""
    lifetime = freshness.freshness_lifetime(policy.freshness_lifetime)
    stale = freshness.stale_while_revalidate
    keep = freshness.stale_if_error
    if policy.outcome is Outcome.FORBIDDEN:
        lifetime, stale = min(lifetime, MAX_FORBIDDEN_LIFETIME), 0.0  # Ours R3
    if not policy.may_be_shared:
        # §3.1: a status that a proxy may have sent applies only for a short time.
        lifetime, stale, keep = min(lifetime, freshness.retry_after), 0.0, 0.0
    fresh_until = now + lifetime
    keep_until = fresh_until + keep
    return replace(
        policy,
        fresh_until=fresh_until,
        stale_until=min(fresh_until + stale, keep_until),
        keep_until=keep_until,
    )
