"""`ROBOTS1994_DRY_RUN`: Scrapy's own middleware decides, and its decisions are compared with ours.

To know what this package would decide, it fetches each robots.txt a second time. Requests do not
wait for this second fetch.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from logging import WARNING
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.python import global_object_name

from scrapy_robots1994.crawl.features.comparison import CrawlComparison, question
from scrapy_robots1994.crawl.fetch import RobotsFetcher
from scrapy_robots1994.crawl.log import log_line
from scrapy_robots1994.crawl.requests import OPT_OUT, OWN_MARK, RobotName, exemption_of
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import prepare, result_of
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import policy_from

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

    from scrapy_robots1994.compare.rows import Site

DISOBEYING = (
    "Dry run disabled: ROBOTSTXT_OBEY is False, so this crawl does not obey robots.txt"
)

UNWATCHED = (
    "Dry run: %s, a subclass of Scrapy's middleware, also refuses requests, but is not "
    "watched; list Scrapy's own middleware in its place"
)


class DryRun:
    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured(DISOBEYING)
        settings = RobotsSettings.from_settings(crawler.settings)
        self._crawler = crawler
        self._exempt = settings.exempt
        self._built_in: Any = RobotsTxtMiddleware.from_crawler(crawler)
        self._robot = RobotName(crawler)
        self._comparison = CrawlComparison(crawler, settings)
        # The store is neither read nor written, because other crawls may share it.
        self._fetcher = RobotsFetcher(crawler, settings, nullcontext, self._robot)
        self._reader, self._freshness = settings.new_reader(), settings.freshness
        self._sites: dict[Origin, Deferred[Site | None]] = {}
        """For each origin, a Deferred that fires when the search for its policy ends. Its result is
        the `Site` that collects the decisions, or None if the policy cannot be found or compared.
        """
        self._comparison.findings = self._sites.values()
        # Hosts with a decision, and hosts whose robots.txt Scrapy's middleware has received. As in
        # that middleware, a host is the `netloc` of a URL.
        self._decided: set[str] = set()
        self._files: set[str] = set()
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._received, signals.response_received)
        settings.log_start(crawler)

    def _opened(self) -> None:
        other = self._crawler.get_downloader_middleware(RobotsTxtMiddleware)
        if other is not None:
            name = global_object_name(type(other))
            log_line(self._crawler, WARNING, UNWATCHED, name)

    async def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> None:
        netloc = urlsplit(request.url).netloc
        # Before the first decision about a host, its robots.txt is still on its way to Scrapy's
        # middleware.
        is_early = netloc not in self._decided
        # In Scrapy 2.13, the method also takes the spider and may return a Deferred.
        decide = partial(self._built_in.process_request, request)
        try:
            decision = decide() if spider is None else decide(spider)
            if decision is not None:
                await result_of(decision)
        except IgnoreRequest:
            self._watch(request, netloc, "refused", is_early=is_early)
            raise
        self._watch(request, netloc, "sent", is_early=is_early)

    def _received(self, response: Response, request: Request) -> None:
        # A redirected robots.txt still belongs to the host of the first URL.
        first = (*request.meta.get("redirect_urls", ()), request.url)[0]
        is_its_own = request.callback is NO_CALLBACK and request.meta.get(OPT_OUT)
        if is_its_own and not request.meta.get(OWN_MARK) and response.status < 300:  # noqa: PLR2004 - 2xx
            self._files.add(urlsplit(first).netloc)

    def _watch(
        self, request: Request, netloc: str, did: str, *, is_early: bool
    ) -> None:
        """Compare the decision *did* with our verdict, as soon as the policy is known."""
        origin = Origin.of(request.url)
        if not origin or exemption_of(request.url, origin, request.meta, self._exempt):
            return
        self._decided.add(netloc)
        options = self._crawler.settings
        sent = request.headers.get(b"User-Agent", options["USER_AGENT"])
        others_robot = options["ROBOTSTXT_USER_AGENT"] or sent or ""
        if origin not in self._sites:
            # Fetch each robots.txt only once, as Scrapy's middleware does.
            finding = deferred_from_coro(self._find(origin, request))
            self._sites[origin] = finding.addErrback(lambda _: None)
        self._sites[origin].addCallback(
            self._comparison.ask,
            question(request.url, self._robot.of(request), others_robot),
            did,
            is_early=is_early and netloc in self._files,
        )

    async def _find(self, origin: Origin, page: Request) -> Site | None:
        answer = await self._fetcher.fetch(origin, page, lambda *_: None)
        policy = policy_from(origin, answer, self._reader, self._freshness)
        if policy.robots is not None:
            await prepare(policy.robots, self._robot.of(page))
        return self._comparison.site_of(policy)
