"""Who decides about a request whose policy is known.

A judge lets a request pass by returning, and refuses it by raising. What else is to
happen with a decision (a comparison, a pause) is a judge around another one. No judge
is called for most requests: rules that one has cached decide, see `RulesCache`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import time
from typing import Protocol, TypeAlias

from scrapy import Request

from scrapy_robots1994.crawl.refusals import Refusals
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.threads import INLINE_PARSE_BYTES, run_in_thread
from scrapy_robots1994.origin import Origin, head_of
from scrapy_robots1994.policy.policy import CLOCK_SKEW, Policy, Rules
from scrapy_robots1994.stores.memory import MemoryStore

MAX_PREFIXES = 8
"""Spellings of one origin, as with its port or a user name, that are looked up here.

A request with another spelling takes four times as long.
"""

TOUCH_SECONDS = 10.0
"""How exactly the memory store knows when a policy was last used."""

# Also of "http://": its host has at least one character, so the slash is not before.
_SHORTEST = len("https://")

Found: TypeAlias = Policy | Exception
"""The policy of an origin, or the error because of which it has none."""


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
        # A text such as "http:///x" has a slash where none is looked for. Links may have
        # any user name before the host, so their number is bounded.
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


class Judge(Protocol):
    """Decides about requests."""

    async def judge(self, request: Request, origin: Origin, found: Found) -> None:
        """Let *request* to *origin* pass, or raise."""


@dataclass(frozen=True, slots=True)
class PlainJudge:
    """Refuses what the policy disallows.

    *cache*, where there is one, then answers for the next requests of the origin.
    """

    robot: RobotName
    refusals: Refusals
    cache: RulesCache | None

    async def judge(self, request: Request, origin: Origin, found: Found) -> None:
        """Decide by the rules for our robot."""
        if isinstance(found, Exception):
            # Unknown is neither allowed nor disallowed: the request fails.
            raise found
        rules = found.rules(self.robot.of(request))
        # Most requests are allowed, and need no verdict.
        verdict = None
        if not rules.allowed_url(request.url):
            verdict = rules.verdict(request.url)
        # Rules are for one robot: a request with a User-Agent of its own must neither
        # fill the cache nor use it. They have grown by what the first verdict reads.
        if self.cache is not None and self.robot.is_usual(request):
            self.cache.put(request.url, found, rules)
        if verdict is not None:
            raise self.refusals.refuse(request, verdict, origin)


@dataclass(frozen=True, slots=True)
class ComparingJudge:
    """Compares each decision of *inner* with those of other parsers."""

    inner: Judge
    robot: RobotName
    compare: Callable[[Policy, str, str | bytes], None]

    async def judge(self, request: Request, origin: Origin, found: Found) -> None:
        """Compare, then decide."""
        # Before the other judge, which raises for what it refuses. Without a policy there
        # is no file to compare by.
        if not isinstance(found, Exception):
            self.compare(found, request.url, self.robot.of(request))
        await self.inner.judge(request, origin, found)


@dataclass(frozen=True, slots=True)
class PreparingJudge:
    """Reads a large file for a robot in a thread, before *inner* needs its rules."""

    inner: Judge
    robot: RobotName

    async def judge(self, request: Request, origin: Origin, found: Found) -> None:
        """Wait for the rules, if that takes long, and let the other judge decide."""
        robots = None if isinstance(found, Exception) else found.robots
        # A small file takes less time than a thread.
        if robots is not None and robots.size > INLINE_PARSE_BYTES:
            robot = self.robot.of(request)
            if not robots.has_rules(robot):
                await run_in_thread(partial(robots.rules, robot))
        await self.inner.judge(request, origin, found)
