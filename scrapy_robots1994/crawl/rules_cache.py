"""The compiled rules of fresh policies, found by how a URL begins."""

from __future__ import annotations

from dataclasses import dataclass
from time import time
from typing import TYPE_CHECKING

from scrapy_robots1994.origin import head_of
from scrapy_robots1994.policy.freshness import CLOCK_SKEW

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy, Rules
    from scrapy_robots1994.stores.memory import MemoryStore

MAX_PREFIXES = 8
"""Spellings of one origin, as with user names and upper case, that are looked up here."""

TOUCH_SECONDS = 10.0
"""How exactly the memory store knows when a policy was last used."""

_SHORTEST = len("https://")


@dataclass(slots=True)
class CachedRules:
    """What a policy says to our robot, and from when to when that holds."""

    policy: Policy
    rules: Rules
    since: float
    until: float
    touch_at: float = 0.0


class RulesCache:
    """Answers for most requests without parsing their URL.

    It has no bound of its own: an entry goes when *memory* forgets the policy.
    """

    def __init__(self, memory: MemoryStore) -> None:
        self._memory = memory
        self._by_prefix: dict[str, CachedRules] = {}
        self._prefixes: dict[Origin, tuple[str, ...]] = {}
        memory.on_forget = self._forget

    def get(self, url: str) -> CachedRules | None:
        """Return the fresh rules for *url*; `None` means "look further"."""
        # Scheme and authority: the text up to the first slash after "https://".
        end = url.find("/", _SHORTEST)
        found = self._by_prefix.get(url[:end]) if end > 0 else None
        if found is None:
            return None
        now = time()
        if not found.since <= now < found.until:
            return None
        if now >= found.touch_at:
            # Else the policies used most would be the first to be evicted.
            self._memory.touch(found.policy.origin)
            found.touch_at = now + TOUCH_SECONDS
        return found

    def put(self, url: str, policy: Policy, rules: Rules) -> None:
        """Cache *rules*, what the fresh *policy* of the origin of *url* says to us."""
        prefix, origin = head_of(url), policy.origin
        known = self._prefixes.get(origin, ())
        # A text such as "http:///x" has a slash where none is looked for.
        if url.find("/", _SHORTEST) != len(prefix) or len(known) >= MAX_PREFIXES:
            return
        # A store of few origins may have evicted it while the request waited: an entry
        # here would then never go.
        if self._memory.get(origin) is not policy:
            return
        # Its rules were compiled since it was stored.
        self._memory.measure(policy)
        if prefix not in known:
            self._prefixes[origin] = (*known, prefix)
        # The bounds of `Policy.is_fresh`, computed once.
        since = policy.fetched_at - CLOCK_SKEW
        self._by_prefix[prefix] = CachedRules(policy, rules, since, policy.fresh_until)

    def _forget(self, origin: Origin) -> None:
        """Drop the entries of *origin*, whose policy is not in memory any more."""
        for prefix in self._prefixes.pop(origin, ()):
            self._by_prefix.pop(prefix, None)
