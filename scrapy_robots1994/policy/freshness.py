"""How long policies are fresh."""

from __future__ import annotations

from dataclasses import dataclass

CLOCK_SKEW = 60.0
"""The seconds by which a policy may be dated ahead of the local clock."""

MIN_STALE_WHILE_REVALIDATE = 60.0
"""The least number of seconds in which a stale policy may be used during its refresh."""

MAX_FORBIDDEN_LIFETIME = 3_600.0
"""Ours R3: a 401 or 403 applies for at most an hour, because it is often a mistake."""


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """How long policies are fresh, and what the undecided cases mean; times in seconds.

    The defaults are those of the settings `ROBOTS1994_TTL` and so on. The terms are
    those of RFC 9111 and RFC 5861.
    """

    ttl: float = 86_400.0
    min_ttl: float = 300.0
    stale_if_error: float = 2_592_000.0
    retry_after: float = 300.0
    forbidden_allows: bool = False
    unreachable_allows: bool = False

    def freshness_lifetime(self, promised: float | None) -> float:
        """Ours R1: return the freshness of a response, limited to [min_ttl, ttl]."""
        if promised is None:
            return self.ttl
        return min(max(promised, self.min_ttl), self.ttl)

    def retry_delay(self, retry_after: float | None) -> float:
        """Ours R5: return the seconds until an unreachable origin is requested again.

        A server's Retry-After is limited to the range from our own pause to the longest
        lifetime of a policy, so that neither 0 nor a century applies.
        """
        if retry_after is None:
            return self.retry_after
        return min(max(retry_after, self.retry_after), max(self.ttl, self.retry_after))

    @property
    def stale_while_revalidate(self) -> float:
        """The seconds past its freshness in which a policy is used during its refresh."""
        return max(self.ttl, MIN_STALE_WHILE_REVALIDATE)
