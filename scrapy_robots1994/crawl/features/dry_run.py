"""`ROBOTS1994_DRY_RUN`: Scrapy's own middleware decides, and we watch.

It decides as without this package. Behind its back, one robots.txt an origin is fetched our
way, and our verdict is written next to what it did. No request waits for that.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import deferred_from_coro

from scrapy_robots1994.compare.rows import Did
from scrapy_robots1994.compare.why import Cause
from scrapy_robots1994.crawl.features.comparison import CrawlComparison
from scrapy_robots1994.crawl.fetch import RobotsFetcher
from scrapy_robots1994.crawl.requests import OPT_OUT, OWN_MARK, RobotName, exemption_of
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import compute, result_of
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy, policy_from
from scrapy_robots1994.stores.memory import policy_memory

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

DISOBEYING = (
    "Dry run disabled: ROBOTSTXT_OBEY is False, so robots.txt is not obeyed in this crawl; "
    "set ROBOTSTXT_OBEY = True"
)

MAX_WATCHED = 10_000
"""The most decisions that are remembered while their robots.txt is fetched."""


class _Watched(NamedTuple):
    """What Scrapy's middleware did with one request: all that is kept of it."""

    url: str
    robot: str | bytes
    others_robot: str | bytes
    did: Did


class DryRun:
    """A downloader middleware in place of Scrapy's, which it calls and watches."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured(DISOBEYING)
        settings = RobotsSettings.from_settings(crawler.settings)
        self._crawler = crawler
        self._exempt = settings.exempt
        self._built_in: Any = RobotsTxtMiddleware.from_crawler(crawler)
        self._robot = RobotName(crawler)
        self._comparison = CrawlComparison(crawler, settings)
        self._fetcher = RobotsFetcher(crawler, settings, nullcontext, self._robot)
        self._reader, self._freshness = settings.new_reader(), settings.freshness
        url = settings.store
        # Not the store: others may share it.
        self._memory = policy_memory(url.max_origins, url.max_bytes)
        self._found: dict[Origin, list[_Watched]] = {}
        self._asked: set[Origin] = set()
        # As Scrapy's middleware knows hosts: by `netloc`.
        self._decided: set[str] = set()
        self._files: set[str] = set()
        crawler.signals.connect(self._received, signals.response_received)
        settings.log_start(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware. Raise `NotConfigured` if ROBOTSTXT_OBEY is off."""
        return cls(crawler)

    async def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> None:
        """Let Scrapy's middleware decide, and note what it did."""
        netloc = urlsplit(request.url).netloc
        # The first decision about a host ends the wait for its robots.txt.
        is_early = netloc not in self._decided
        is_sent = True
        try:
            # Scrapy 2.13 passes the spider, and may return None or a Deferred.
            decide = partial(self._built_in.process_request, request)
            decision = decide() if spider is None else decide(spider)
            if decision is not None:
                await result_of(decision)
        except IgnoreRequest:
            is_sent = False
            raise
        finally:
            origin = Origin.of(request.url)
            if origin and not exemption_of(
                request.url, origin, request.meta, self._exempt
            ):
                self._decided.add(netloc)
                is_race = is_early and netloc in self._files
                cause = Cause.RACE if is_race else Cause.STATUS
                self._watch(request, origin, Did(is_sent, cause))

    def _received(self, response: Response, request: Request) -> None:
        # The robots.txt of Scrapy's middleware, perhaps after redirects.
        first = (*request.meta.get("redirect_urls", ()), request.url)[0]
        is_its_own = request.callback is NO_CALLBACK and request.meta.get(OPT_OUT)
        if is_its_own and not request.meta.get(OWN_MARK) and response.status < 300:  # noqa: PLR2004 - 2xx
            self._files.add(first.split("/")[2])

    def _watch(self, request: Request, origin: Origin, did: Did) -> None:
        """Write our verdict next to *did*, at once or when the policy is known."""
        self._comparison.watched += 1
        options = self._crawler.settings
        sent = request.headers.get(b"User-Agent", options["USER_AGENT"])
        others_robot = options["ROBOTSTXT_USER_AGENT"] or sent or ""
        robot = self._robot.of(request)
        watched = _Watched(request.url, robot, others_robot, did)
        policy = self._memory.get(origin)
        if policy is not None:
            self._ask(policy, watched)
        elif origin not in self._asked:
            # Once: Scrapy's middleware does not ask again either.
            self._asked.add(origin)
            self._found[origin] = [watched]
            finding = deferred_from_coro(self._find(origin, request))
            # What is not found stays unknown, and is counted so.
            finding.addErrback(lambda _: self._found.pop(origin, None))
        elif sum(map(len, self._found.values())) < MAX_WATCHED:
            self._found.get(origin, []).append(watched)

    async def _find(self, origin: Origin, page: Request) -> None:
        answer = await self._fetcher.fetch(origin, page, lambda *_: None)
        policy = policy_from(origin, answer, self._reader, self._freshness)
        robots = policy.robots
        if robots is not None:
            read = partial(robots.prepare, self._robot.of(page), reads_usage=False)
            await compute(read, robots.size)
        self._memory[origin] = policy
        for watched in self._found.pop(origin):
            self._ask(policy, watched)

    def _ask(self, policy: Policy, watched: _Watched) -> None:
        verdict = policy.rules(watched.robot).verdict(watched.url)
        url, robot, others_robot, did = watched
        self._comparison.ask(policy, url, robot, verdict, others_robot, did)
