"""The policies that were asked just now, found by how a URL begins."""

from __future__ import annotations

from dataclasses import dataclass
from time import time
from typing import TYPE_CHECKING

from scrapy_robots1994.origin import head_of
from scrapy_robots1994.policy.freshness import CLOCK_SKEW

if TYPE_CHECKING:
    from scrapy_robots1994.policy import Policy, Rules

MOST = 512
"""Origins at hand."""

_SHORTEST = len("https://")


@dataclass(frozen=True, slots=True)
class Known:
    """A policy, what it says to our robot, and from when to when that holds."""

    policy: Policy
    rules: Rules
    since: float
    until: float


class RulesCache:
    """Spares a request of an origin that was asked just now the way to the store.

    It holds what is fresh and for no longer than it is; at most *most* origins.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_head: dict[str, Known] = {}

    def of(self, url: str) -> Known | None:
        """What is known of the origin of *url* and fresh; `None` means "ask"."""
        # Scheme and authority: the text up to the first slash past "https://".
        end = url.find("/", _SHORTEST)
        if end < 0:
            return None
        known = self._by_head.get(url[:end])
        if known is not None and known.since <= time() < known.until:
            return known
        return None

    def keep(self, url: str, policy: Policy, rules: Rules) -> None:
        """Keep *rules*, what the fresh *policy* of the origin of *url* says to us."""
        head = head_of(url)
        # A text such as "http:///x" has a slash where none is looked for.
        if url.find("/", _SHORTEST) != len(head) or not self._most:
            return
        if head not in self._by_head and len(self._by_head) >= self._most:
            # Of a policy that is asked again the rules are compiled still.
            del self._by_head[next(iter(self._by_head))]
        since = policy.fetched_at - CLOCK_SKEW
        self._by_head[head] = Known(policy, rules, since, policy.fresh_until)
