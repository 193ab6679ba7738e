"""`Policy`: the rules of one origin, their source, and how long the rules apply."""

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
"""The maximum number of seconds by which the date of a policy may be ahead of the local
clock.
"""

MIN_STALE_WHILE_REVALIDATE = 60.0
"""The minimum of `stale_while_revalidate`, in seconds. A stale policy may be used for at
least this time while it is refreshed.
"""


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """How long policies are fresh, in seconds, and which outcomes allow everything.

    The defaults are the defaults of `ROBOTS1994_TTL` and the related settings. The names of
    the terms follow RFC 9111 and RFC 5861. *allowing* applies only to outcomes without a
    file.
    """

    ttl: float = 86_400.0
    min_ttl: float = 300.0
    stale_if_error: float = 2_592_000.0
    retry_after: float = 300.0
    allowing: Collection[Outcome] = ALLOWING

    def freshness_lifetime(self, promised: float | None) -> float:
        """Return *promised*, the freshness lifetime that a response states, limited to the
        range from *min_ttl* to *ttl* (Ours R1, the file). Return *ttl* if *promised* is
        `None`.
        """
        if promised is None:
            return self.ttl
        return min(max(promised, self.min_ttl), self.ttl)

    def retry_delay(self, result: Answer) -> float:
        """Return the seconds until robots.txt is requested again after *result* (Ours R5,
        unreachable).

        A server's Retry-After is limited to the range from `ROBOTS1994_RETRY_AFTER` to the
        longest lifetime of a policy, so a Retry-After of 0 or of a century is not obeyed.
        """
        # Ours 3.1 (retries): the Retry-After of a proxy is ignored.
        if not isinstance(result, RobotsResponse) or result.via_proxy:
            return self.retry_after
        longest = max(self.ttl, self.retry_after)
        return min(max(result.retry_after or 0.0, self.retry_after), longest)

    def uniform(
        self, outcome: Outcome, status: int | None, failure: str | None = None
    ) -> "UniformRules":
        """Return rules with the same answer for every URL, after an *outcome* without a
        file.

        *failure* says in a few words what failed.
        """
        reason = outcome.row.reason
        assert reason is not None  # noqa: S101 - the caller checks the outcome
        return UniformRules(outcome in self.allowing, reason, status, failure)

    @property
    def stale_while_revalidate(self) -> float:
        """The seconds for which a stale policy may be used while it is refreshed."""
        return max(self.ttl, MIN_STALE_WHILE_REVALIDATE)


@dataclass(frozen=True, slots=True)
class UniformRules:
    """The same answer for every URL of an origin without a readable file."""

    is_open: bool
    reason: Reason
    status: int | None = None
    failure: str | None = None

    # Without a file, the crawl has no delay.
    crawl_delay = None
    size = 0

    def rules(self, _robot: str | bytes) -> "UniformRules":
        """Return this object, because every robot gets the same answer."""
        return self

    def allowed(self, url: str, _clients: Clients = ()) -> bool:
        """Return whether *url* may be fetched. A /robots.txt may always be fetched (Ours
        O22, robots.txt itself).
        """
        return self.is_open or target_of(url) == "/robots.txt"

    def verdict(self, url: str, _clients: Clients = ()) -> Verdict:
        """Return the answer for *url* with the reason. The verdict names no line."""
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
    """The rules of *origin*, and the times until which the rules apply, in seconds since
    the epoch.

    A policy is fresh until *fresh_until*. A stale policy may be used during its refresh
    until *stale_until*. If refreshes fail, the policy remains the last good policy until
    *keep_until* (R5, unreachable). *stated* is the parsed file (R1, the file) or, without a
    file, one answer for every URL. *freshness_lifetime* is the lifetime that the response
    states, in seconds. *is_stale_on_error* says that the last refresh failed.
    *may_be_shared* says that the origin itself stated the policy over HTTP, so that a store
    may share the policy with other crawls. *failure* says why the last fetch failed. *uid*
    identifies *stated*, and does not change if a 304 confirms the policy, or if the policy
    remains in use because its refresh failed.
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
    # A store does not save the following two fields.
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
        """Return the policy that *response* states by R1 (the file), R3 (access refused) or
        R4 (no file). For any other response, return the policy of an unreachable origin
        (R5).

        *reader* parses the body of *response* if the outcome is R1. *now* is in seconds
        since the epoch.
        """
        stated: RobotsTxt | UniformRules
        promised = None
        # Do not use `response.outcome`, because a 304 confirms an earlier policy and does
        # not state a policy.
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
        """Return this policy, which a 304 made fresh again (Ours R1). The file is not
        parsed again.

        The freshness and the validators in the 304 replace the known values. Known values
        that the 304 omits remain valid (RFC 9111, section 4.3.4).
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
        """Return a policy with the same answer for every URL until the next fetch. This
        method implements Ours R5 (unreachable) without a last good policy.

        A missing answer means "allowed" only if the user sets
        `ROBOTS1994_UNREACHABLE = "allow"`.
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
        """Return this policy for use until the next fetch. This method implements Ours R5
        with a last good policy.

        *now* must be before *keep_until*, which a failed refresh does not extend. Therefore
        the policy is used for at most `stale_if_error` seconds after its freshness ended,
        however often the refresh fails.
        """
        # If the clock was set back, move the date of the policy back as well. If the date
        # were in the future, every request would fetch the policy again without a pause.
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
        """Return this policy for use until the next fetch at *retry_at* (Ours R5)."""
        fresh_until = min(retry_at, self.keep_until)
        stale_until = fresh_until + freshness.stale_while_revalidate
        return replace(
            self,
            fresh_until=fresh_until,
            stale_until=min(stale_until, self.keep_until),
            is_stale_on_error=True,
        )

    def rules(self, robot: str | bytes) -> Rules:
        """Return the rules for *robot*, a bare name or a whole User-Agent header."""
        return self.stated.rules(robot)

    @property
    def robots(self) -> RobotsTxt | None:
        """The parsed file, or `None` if the policy has no file."""
        return None if isinstance(self.stated, UniformRules) else self.stated

    @property
    def validators(self) -> Validators | None:
        """The request headers with which a server can confirm this policy without sending
        the file again, or `None` if the policy has no validators or no complete file.
        """
        # Do not send validators for a truncated file. If the size limit was raised, a 304
        # would hide the rest of the file.
        is_whole = self.robots is not None and not self.robots.is_truncated
        sent = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        # The validators were decoded from Latin-1, which preserves every byte.
        headers = {name: it.encode("latin-1") for name, it in sent.items() if it}
        if not (is_whole and headers):
            return None
        return Validators(self.final_url or self.origin.robots_url, headers)

    @property
    def is_known(self) -> bool:
        """Whether this policy comes from an answer of the origin (R1, R3, R4) and not from
        R5.
        """
        return self.outcome.row.is_answer

    def is_fresh(self, now: float) -> bool:
        """Return whether the policy is fresh at *now*. A policy with a date in the future
        is not fresh.
        """
        return self.fetched_at <= now + CLOCK_SKEW and now < self.fresh_until

    def is_usable(self, now: float) -> bool:
        """Return whether the policy may be used at *now*. A policy may be used while it is
        fresh, and for a limited time after its freshness ended.

        A policy without an answer of the origin (R5) may be used only while it is fresh.
        """
        end = self.stale_until if self.is_known else self.fresh_until
        return self.fetched_at <= now + CLOCK_SKEW and now < end

    def last_good(self, now: float) -> "Policy | None":
        """Return this policy if it remains in use after a failed fetch at *now* (R5), or
        `None`.
        """
        return self if self.is_known and now < self.keep_until else None


def _stated_at(policy: Policy, now: float, freshness: FreshnessSettings) -> Policy:
    """Return *policy* with the times of a policy that the origin stated at *now*."""
    row = policy.outcome.row
    lifetime = freshness.freshness_lifetime(policy.freshness_lifetime)
    lifetime = min(lifetime, row.max_lifetime)
    stale = freshness.stale_while_revalidate if row.allows else 0.0
    keep = freshness.stale_if_error
    if not policy.may_be_shared:
        # Ours 3.1 (retries): a status that a proxy may have sent applies only for a short
        # time.
        lifetime, stale, keep = min(lifetime, freshness.retry_after), 0.0, 0.0
    end = now + lifetime
    return replace(
        policy,
        fresh_until=end,
        stale_until=end + min(stale, keep),
        keep_until=end + keep,
    )
