"""The policy of one origin (`Policy`). A policy contains the rules, where the rules came
from, and the times until which the rules apply.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import count

from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser import Reason, Rules, Verdict
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    RobotsResponse,
    failure_of,
    said_of,
)
from scrapy_robots1994.policy.outcomes import ALLOWING, Outcome, outcome_of
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

CLOCK_SKEW = 60.0
"""The maximum number of seconds by which the date of a policy may be ahead of the local
clock.
"""

MIN_STALE_WHILE_REVALIDATE = 60.0
"""The minimum of `stale_while_revalidate`, in seconds. A stale policy may be used for 60
seconds during a refresh, even if the TTL is shorter.
"""


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """The settings that determine how long policies are used, and which outcomes allow
    every URL. All times are in seconds.

    Each default equals the default of the related setting, such as `ROBOTS1994_TTL`. The
    names follow RFC 9111 and RFC 5861. *allowing* contains only outcomes without a file.
    """

    ttl: float = 86_400.0
    min_ttl: float = 300.0
    stale_if_error: float = 2_592_000.0
    retry_after: float = 300.0
    allowing: Collection[Outcome] = ALLOWING

    def retry_delay(self, result: Answer) -> float:
        """Return the seconds until robots.txt is requested again after *result* (Ours R5,
        unreachable).

        A server's Retry-After is limited to the range from `ROBOTS1994_RETRY_AFTER` to
        `ROBOTS1994_TTL`. The limits prevent a delay of 0 seconds or of a century.
        """
        # Ours 3.1 (retries): the Retry-After of a proxy is ignored.
        stated = 0.0 if result.via_proxy else result.retry_after or 0.0
        longest = max(self.ttl, self.retry_after)
        return min(max(stated, self.retry_after), longest)

    def uniform(
        self, outcome: Outcome, status: int | None, failure: str | None = None
    ) -> "UniformRules":
        """Return the rules for *outcome*, which is an outcome without a file. The rules
        give the same answer for every URL.

        *status* is the status of the answer, if any. If the origin is unreachable,
        *failure* describes in a few words what failed.
        """
        reason = outcome.row.reason
        assert reason is not None  # noqa: S101 - the caller checks the outcome
        return UniformRules(outcome in self.allowing, reason, status, failure)

    @property
    def stale_while_revalidate(self) -> float:
        """The number of seconds for which a stale policy may be used during a refresh."""
        return max(self.ttl, MIN_STALE_WHILE_REVALIDATE)


@dataclass(frozen=True, slots=True)
class UniformRules:
    """Rules that give the same answer for every URL, for an origin without a readable
    file.
    """

    is_open: bool
    reason: Reason
    status: int | None = None
    failure: str | None = None

    # An origin without a file does not ask for a crawl delay.
    crawl_delay = None
    ignored = None
    size = memory_bytes = 0

    def rules(self, _robot: str | bytes) -> "UniformRules":
        """Return this object, because every robot gets the same answer."""
        return self

    def allowed(self, url: str) -> bool:
        """Return whether *url* may be fetched. The URL of a robots.txt may always be
        fetched (Ours O22, robots.txt itself).
        """
        return self.is_open or target_of(url) == "/robots.txt"

    def verdict(self, url: str) -> Verdict:
        """Return the verdict on *url*. The verdict contains a reason, but no line."""
        if self.allowed(url) and not self.is_open:
            return Verdict(allowed=True, reason=Reason.ROBOTS_TXT)
        return Verdict(
            allowed=self.is_open,
            reason=self.reason,
            status=self.status,
            failure=self.failure,
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of *origin*, and the times until which the rules apply. All times are in
    seconds since the epoch.

    A policy is fresh until *fresh_until*, and then stale. During a refresh, a stale
    policy may be used until *stale_until*. If refreshes fail, the policy remains the last
    good policy until *keep_until* (R5, unreachable). *stated* contains the parsed file
    (R1, the file), or the answer for every URL if there is no file. *freshness_lifetime*
    is the lifetime, in seconds, that the response states. *is_stale_on_error* is `True`
    if the last refresh failed. If *may_be_shared* is `True`, a store may share the policy
    with other crawls, because it follows from a response of the origin itself. *failure*
    gives the reason why the last fetch failed. *uid* identifies *stated*. *uid* does not
    change if a 304 confirms the policy, or if the policy remains in use because its
    refresh failed.
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
    # Stores do not save `failure` and `uid`.
    failure: str | None = field(default=None, compare=False)
    uid: int = field(default_factory=count().__next__, compare=False, repr=False)

    @classmethod
    def from_response(
        cls,
        origin: Origin,
        response: Answer,
        reader: Reader,
        now: float,
        freshness: FreshnessSettings,
    ) -> "Policy":
        """Return the policy that *response* states according to R1 (the file), R3 (access
        refused) or R4 (no file). For any other response, and for a failure, return the
        policy of an unreachable origin (R5).

        *reader* parses the body of *response* if the outcome is R1 (the file). *now* is
        in seconds since the epoch.
        """
        if not isinstance(response, RobotsResponse):
            return cls.unreachable(origin, response, now, freshness)
        stated: RobotsTxt | UniformRules
        promised = None
        # Do not use `response.outcome`. For a 304, `response.outcome` may be `RENEWED`, but
        # a 304 does not state a policy.
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
            may_be_shared=response.is_of_origin,
        )
        return _stated_at(policy, now, freshness)

    def revalidated(
        self, response: RobotsResponse, now: float, freshness: FreshnessSettings
    ) -> "Policy":
        """Return a fresh copy of this policy, after a 304 confirmed the policy (Ours R1,
        the file). The file is not parsed again.

        *response* is the 304 answer. The freshness lifetime and the validators in
        *response* replace the known values. Known values that *response* omits remain valid
        (RFC 9111, section 4.3.4).
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
        """Return the policy of an unreachable *origin* without a last good policy (Ours
        R5). The policy gives the same answer for every URL, and applies until the next
        fetch.

        Every URL is disallowed, unless the user sets `ROBOTS1994_UNREACHABLE = "allow"`.
        *result* is the failure, or the answer that means R5 (unreachable).
        """
        retry_at = now + freshness.retry_delay(result)
        status = result.status
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
            may_be_shared=result.is_of_origin,
            failure=said_of(result),
        )

    def stale_on_error(
        self, result: Answer, now: float, freshness: FreshnessSettings
    ) -> "Policy":
        """Return a copy of this policy, the last good policy, for use until the next fetch.
        The refresh failed with *result* (Ours R5, unreachable).

        *now* must be before *keep_until*. A failed refresh does not extend *keep_until*.
        The policy is used for at most `stale_if_error` seconds after the end of its
        freshness, however often the refresh fails.
        """
        # If the clock was set back, move the date of the policy back as well. If the date
        # were in the future, every request would fetch the policy again without a pause.
        ahead = max(self.fetched_at - now, 0.0)
        dated_back = replace(
            self,
            fetched_at=self.fetched_at - ahead,
            keep_until=self.keep_until - ahead,
            may_be_shared=result.is_of_origin,
            failure=said_of(result),
        )
        retry_at = now + freshness.retry_delay(result)
        return dated_back.stale_until_retry(retry_at, freshness)

    def stale_until_retry(
        self, retry_at: float, freshness: FreshnessSettings
    ) -> "Policy":
        """Return a copy of this policy for use until the next fetch at *retry_at* (Ours
        R5, unreachable).
        """
        fresh_until = min(retry_at, self.keep_until)
        stale_until = fresh_until + freshness.stale_while_revalidate
        return replace(
            self,
            fresh_until=fresh_until,
            stale_until=min(stale_until, self.keep_until),
            is_stale_on_error=True,
        )

    def rules(self, robot: str | bytes) -> Rules:
        """Return the rules for *robot*, which is a bare name or a whole User-Agent header."""
        return self.stated.rules(robot)

    @property
    def robots(self) -> RobotsTxt | None:
        """The parsed file, or `None` if the policy does not come from a file."""
        return None if isinstance(self.stated, UniformRules) else self.stated

    def validators(self, url: str) -> dict[str, bytes]:
        """Return the headers of a request to *url* that allow a server to confirm this
        policy with a 304 (RFC 9110, section 13.1).

        The dict is empty if the policy has no validators or no complete file. The dict is
        also empty if another URL sent the validators, because the server of *url* could
        confirm a different file.
        """
        # Do not send validators for a truncated file. If the user has raised the size limit
        # since the fetch, a 304 would hide the rest of the file.
        is_whole = self.robots is not None and not self.robots.is_truncated
        if not is_whole or url != (self.final_url or self.origin.robots_url):
            return {}
        sent = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        # The validators were decoded from Latin-1, which preserves every byte.
        return {name: it.encode("latin-1") for name, it in sent.items() if it}

    @property
    def is_known(self) -> bool:
        """Whether the origin stated this policy (R1, the file; R3, access refused; R4, no
        file). If `is_known` is `False`, the origin was unreachable (R5).
        """
        return self.outcome.row.is_answer

    def is_fresh(self, now: float) -> bool:
        """Return whether the policy is fresh at *now*. A policy whose date is more than
        `CLOCK_SKEW` seconds in the future is not fresh.
        """
        return self.fetched_at <= now + CLOCK_SKEW and now < self.fresh_until

    def is_usable(self, now: float) -> bool:
        """Return whether the policy may be used at *now*. A policy may be used while it
        is fresh, and then until *stale_until*.

        The policy of an unreachable origin (R5) may be used only while it is fresh.
        """
        end = self.stale_until if self.is_known else self.fresh_until
        return self.fetched_at <= now + CLOCK_SKEW and now < end

    def last_good(self, now: float) -> "Policy | None":
        """Return this policy if it may remain in use after a failed fetch at *now* (R5,
        unreachable). Otherwise, return `None`.
        """
        return self if self.is_known and now < self.keep_until else None


def _stated_at(policy: Policy, now: float, freshness: FreshnessSettings) -> Policy:
    """Return a copy of *policy* with new times. The origin stated or confirmed *policy* at
    *now*.
    """
    row, lifetime = policy.outcome.row, freshness.ttl
    if policy.freshness_lifetime is not None:
        # Ours R1 (the file): if a response states a lifetime, it is limited to a range.
        lifetime = min(max(policy.freshness_lifetime, freshness.min_ttl), lifetime)
    lifetime = min(lifetime, row.max_lifetime)
    stale = freshness.stale_while_revalidate if row.allows else 0.0
    keep = freshness.stale_if_error
    if not policy.may_be_shared:
        # Ours 3.1 (retries): if a proxy may have generated the status, the policy applies
        # only for a short time.
        lifetime, stale, keep = min(lifetime, freshness.retry_after), 0.0, 0.0
    end = now + lifetime
    return replace(
        policy,
        fresh_until=end,
        stale_until=end + min(stale, keep),
        keep_until=end + keep,
    )
