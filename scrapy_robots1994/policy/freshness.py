"""The numbers and choices under which answers become policies."""

from __future__ import annotations

from dataclasses import dataclass

STALE_GRACE = 60.0
"""A stale policy may be used beside a refresh at least this long, in seconds."""


@dataclass(frozen=True, slots=True)
class FreshnessSettings:
    """How long policies hold and what the undecided cases mean; times in seconds.

    The defaults are those of the settings `ROBOTS1994_TTL` and so on (README).
    """

    ttl: float = 86_400.0
    min_ttl: float = 300.0
    stale_ttl: float = 2_592_000.0
    retry_after: float = 300.0
    forbidden_allows: bool = False
    unreachable_allows: bool = False

    def lifetime(self, promised: float | None) -> float:
        """Ours R1: the freshness a response promised, held within [min_ttl, ttl]."""
        if promised is None:
            return self.ttl
        return min(max(promised, self.min_ttl), self.ttl)

    def pause(self, asked: float | None) -> float:
        """Ours R5: seconds until an unreachable origin is asked again.

        A server's Retry-After is honoured between our own pause and the longest time a
        policy may live, so neither 0 nor a century can be imposed on us.
        """
        if asked is None:
            return self.retry_after
        return min(max(asked, self.retry_after), max(self.ttl, self.retry_after))

    @property
    def grace(self) -> float:
        """Seconds after its freshness in which a policy is used beside a refresh."""
        return max(self.ttl, STALE_GRACE)
