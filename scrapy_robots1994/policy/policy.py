"""Policy: the rules of one origin, where they come from, and how long they apply."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import count

from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser import Reason, Rules, Verdict
from scrapy_robots1994.parser.clients import Clients
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    RobotsResponse,
    Validators,
    failure_of,
    is_of_origin,
    said_of,
)
from scrapy_robots1994.policy.outcomes import ALLOWING, Outcome, outcome_of
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

CLOCK_SKEW = 60.0
"""The seconds by which a policy may be dated ahead of the local clock."""

MIN_STALE_WHILE_REVALIDATE = 60.0
"""The least number of seconds in which a stale policy may be used during its refresh."""


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """How long policies are fresh, in seconds, and which outcomes allow everything.

    The defaults are those of `ROBOTS1994_TTL` and so on; the terms, of RFC 9111 and 5861.
    *allowing* matters for outcomes without a file alone.
    """

    ttl: float = 86_400.0
    min_ttl: float = 300.0
    stale_if_error: float = 2_592_000.0
    retry_after: float = 300.0
    allowing: Collection[Outcome] = ALLOWING

    def freshness_lifetime(self, promised: float | None) -> float:
        """Ours R1: return the freshness of a response, limited to [min_ttl, ttl]."""
        if promised is None:
            return self.ttl
        return min(max(promised, self.min_ttl), self.ttl)

    def retry_delay(self, result: Answer) -> float:
        """Ours R5: return the seconds until an origin that gave *result* is requested again.

        A server's Retry-After is limited to the range from our own pause to the longest
        lifetime of a policy, so that neither 0 nor a century applies.
        """
        # Ours 3.1: a proxy cannot impose its Retry-After.
        if not isinstance(result, RobotsResponse) or result.via_proxy:
            return self.retry_after
        longest = max(self.ttl, self.retry_after)
        return min(max(result.retry_after or 0.0, self.retry_after), longest)

    def uniform(
        self, outcome: Outcome, status: int | None, failure: str | None = None
    ) -> "UniformRules":
        """Return the one answer for every URL after *outcome*, which leaves no file.

        *failure* is what failed, in a few words.
        """
        reason = outcome.row.reason
        assert reason is not None  # noqa: S101 - the caller read no file
        return UniformRules(outcome in self.allowing, reason, status, failure)

    @property
    def stale_while_revalidate(self) -> float:
        """The seconds past its freshness in which a policy is used during its refresh."""
        return max(self.ttl, MIN_STALE_WHILE_REVALIDATE)


@dataclass(frozen=True, slots=True)
class UniformRules:
    """One answer for every URL of an origin, where there is no file to read."""

    is_open: bool
    reason: Reason
    status: int | None = None
    failure: str | None = None

    # No file, and so no delay.
    crawl_delay = None
    size = 0

    def rules(self, _robot: str | bytes) -> "UniformRules":
        """Return this object: every robot gets the same answer."""
        return self

    def allowed(self, url: str, _clients: Clients = ()) -> bool:
        """Return whether *url* may be fetched; /robots.txt itself always may (Ours O22)."""
        return self.is_open or target_of(url) == "/robots.txt"

    def verdict(self, url: str, _clients: Clients = ()) -> Verdict:
        """Return the answer for *url* with its reason, and without a line."""
        allowed = self.allowed(url)
        is_robots_txt = allowed and not self.is_open
        reason = Reason.ROBOTS_TXT if is_robots_txt else self.reason
        if is_robots_txt:
            return Verdict(allowed=allowed, reason=reason)
        return Verdict(
            allowed=allowed, reason=reason, status=self.status, failure=self.failure
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of *origin* and until when they apply, in seconds since the epoch.

    Fresh until *fresh_until*, then usable during its refresh until *stale_until*, and
    the last good policy until *keep_until* (R5). *stated* decides: the parsed file
    if there is one (R1), otherwise one answer for every URL. *freshness_lifetime* is
    that of the response, in seconds. *is_stale_on_error* says that the last refresh
    failed. *may_be_shared* says that the origin itself stated all this over HTTP, so
    that a store may share it with other crawls. *failure* says why the last fetch failed.
    *uid* names what was stated: it stays as it is where a 304 confirms the policy, and where
    the policy is used because its refresh failed.
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
    # Neither is a part of what a store has.
    failure: str | None = field(default=None, compare=False)
    uid: int = field(default_factory=count().__next__, compare=False, repr=False)

    @classmethod
    def from_response(
        cls,
        origin: Origin,
        response: RobotsResponse,
        reader: Reader,
        now: float,
        freshness: FreshnessSettings,
    ) -> "Policy":
        """Return the policy that *response* states (R1, R3, R4) or leaves open (R5).

        *reader* parses its body if the outcome is R1.
        """
        stated: RobotsTxt | UniformRules
        promised = None
        # Not `response.outcome`: a 304 renews another policy, and states none.
        outcome = outcome_of(response.status, via_proxy=response.via_proxy)
        if not outcome.row.is_answer:
            return cls.unreachable(origin, response, now, freshness)
        if outcome.row.reads_body:
            stated = reader.read(response.body, is_truncated=response.is_truncated)
            promised = response.freshness_lifetime
        else:
            stated = freshness.uniform(outcome, response.status)
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
    ) -> "Policy":
        """Ours R1 with a 304: return this policy, fresh again; nothing is parsed.

        The freshness and validators of the 304 replace the known ones; those that it
        omits stay (RFC 9111, 4.3.4).
        """
        lifetime = response.freshness_lifetime
        if lifetime is None:
            lifetime = self.freshness_lifetime
        renewed = replace(
            self,
            fetched_at=now,
            etag=response.etag or self.etag,
            last_modified=response.last_modified or self.last_modified,
            freshness_lifetime=lifetime,
            is_stale_on_error=False,
            may_be_shared=True,
            failure=None,
        )
        return _stated_at(renewed, now, freshness)

    @classmethod
    def unreachable(
        cls, origin: Origin, result: Answer, now: float, freshness: FreshnessSettings
    ) -> "Policy":
        """Ours R5 without a last good policy: one answer for every URL, for a while.

        "Absent" never means "allowed" here unless the user set it so
        (`ROBOTS1994_UNREACHABLE = "allow"`).
        """
        retry_at = now + freshness.retry_delay(result)
        status = result.status if isinstance(result, RobotsResponse) else None
        return cls(
            origin=origin,
            outcome=Outcome.UNREACHABLE,
            stated=freshness.uniform(Outcome.UNREACHABLE, status, failure_of(result)),
            status=status,
            fetched_at=now,
            fresh_until=retry_at,
            stale_until=retry_at,
            keep_until=retry_at,
            final_url=result.final_url,
            may_be_shared=is_of_origin(result),
            failure=said_of(result),
        )

    def stale_on_error(
        self, result: Answer, now: float, freshness: FreshnessSettings
    ) -> "Policy":
        """Ours R5 with a last good policy: return this one, until the next fetch.

        It must still be within its *keep_until*, which does not change: it is used for at
        most `stale_if_error` seconds, however often refreshing it fails.
        """
        # If the clock was set back, the policy is dated back as well: left in the future,
        # every request would fetch it again, without a pause.
        ahead = max(self.fetched_at - now, 0.0)
        dated_back = replace(
            self,
            fetched_at=self.fetched_at - ahead,
            keep_until=self.keep_until - ahead,
            may_be_shared=is_of_origin(result),
            failure=said_of(result),
        )
        retry_at = now + freshness.retry_delay(result)
        return dated_back.stale_until_retry(retry_at, freshness)

    def stale_until_retry(
        self, retry_at: float, freshness: FreshnessSettings
    ) -> "Policy":
        """Ours R5: return this policy as it is used until the next fetch at *retry_at*."""
        fresh_until = min(retry_at, self.keep_until)
        stale_until = fresh_until + freshness.stale_while_revalidate
        return replace(
            self,
            fresh_until=fresh_until,
            stale_until=min(stale_until, self.keep_until),
            is_stale_on_error=True,
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
        """The headers by which a server can confirm this policy without sending its file."""
        # A 304 would hide the rest of a truncated file if the limit was raised since.
        is_whole = self.robots is not None and not self.robots.is_truncated
        sent = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        # Latin-1, from which they were decoded, returns every byte.
        headers = {name: it.encode("latin-1") for name, it in sent.items() if it}
        if not (is_whole and headers):
            return None
        return Validators(self.final_url or self.origin.robots_url, headers)

    @property
    def is_known(self) -> bool:
        """Whether this policy comes from an answer of the origin (R1, R3, R4), not from R5."""
        return self.outcome.row.is_answer

    def is_fresh(self, now: float) -> bool:
        """Return whether to use it at *now* as it is; not if it is of the future."""
        return self.fetched_at <= now + CLOCK_SKEW and now < self.fresh_until

    def is_usable(self, now: float) -> bool:
        """Return whether to use it at *now*: fresh, or stale while it is refreshed.

        A policy without an answer of the origin (R5) is not used past its freshness.
        """
        end = self.stale_until if self.is_known else self.fresh_until
        return self.fetched_at <= now + CLOCK_SKEW and now < end

    def last_good(self, now: float) -> "Policy | None":
        """Return it if a failed fetch at *now* leaves it in force (R5), else `None`."""
        return self if self.is_known and now < self.keep_until else None


def _stated_at(policy: Policy, now: float, freshness: FreshnessSettings) -> Policy:
    """Return *policy* with the times of one that was stated at *now*."""
    row = policy.outcome.row
    lifetime = freshness.freshness_lifetime(policy.freshness_lifetime)
    lifetime = min(lifetime, row.max_lifetime)
    stale = freshness.stale_while_revalidate if row.allows else 0.0
    keep = freshness.stale_if_error
    if not policy.may_be_shared:
        # Ours 3.1: a status that a proxy may have sent applies only for a short time.
        lifetime, stale, keep = min(lifetime, freshness.retry_after), 0.0, 0.0
    end = now + lifetime
    return replace(
        policy,
        fresh_until=end,
        stale_until=end + min(stale, keep),
        keep_until=end + keep,
    )
