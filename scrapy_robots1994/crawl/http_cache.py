"""Scrapy's HTTP cache as a source of robots.txt answers (Ours 3.2, HTTP cache).

With `HTTPCACHE_ENABLED`, unchanged robots.txt answers are also written to the HTTP cache
of the crawl. The storage of Scrapy's HTTP cache middleware writes the answers. Because
the answers are cached, a recorded crawl can be replayed, and a cached crawl works
offline. The cached answers are used in two ways:

* The HTTP cache is a source of `PolicyResolver`, which searches the store first. A cached
  answer is read as a policy that was fetched at the `Date` of the answer. The cached
  policy is used while it is fresh. When the policy is stale, robots.txt is requested. If
  the fetch fails, it is not retried, and the cached policy is used as the last good
  policy.
* With `HTTPCACHE_IGNORE_MISSING`, some page requests are never sent
  (`HttpCache.is_replayed`). If a page request is never sent, a cached answer of any age
  decides whether the request is refused.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.extensions.httpcache import DummyPolicy
from scrapy.http import Response

from scrapy_robots1994.crawl.fetch import DownloadState, FetchObserver
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.threads import compute, read_in_crawl
from scrapy_robots1994.policy.fetch_result import (
    FetchResult,
    HttpAnswer,
    Redirect,
    RobotsResponse,
    date_of,
    is_private,
)
from scrapy_robots1994.policy.outcomes import NOT_MODIFIED, REDIRECTS, outcome_of
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.stores.memory import MemoryStore

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.robotstxt import Reader

REPLAYED_BYTES = 32_000_000
"""Maximum memory, in bytes, for the parsed policies of replayed pages. A policy that was
removed from this memory is parsed again for the next page of its origin.
"""


class HttpCache(FetchObserver):
    """The robots.txt answers in the HTTP cache of one crawl.

    Errors of the cache storage are ignored. If an answer cannot be read, the answer
    counts as missing. If an answer cannot be written, it will be missing in the next
    crawl.
    """

    def __init__(
        self, crawler: Crawler, settings: RobotsSettings, reader: Reader
    ) -> None:
        self._crawler = crawler
        self._settings = settings
        self._reader = reader
        self._robot = RobotName(crawler)
        self._ignores_missing = crawler.settings.getbool("HTTPCACHE_IGNORE_MISSING")
        # `_policies` contains the policies for replayed pages. A policy for replayed
        # pages is not in the memory of the crawl, because it was not fetched in this
        # crawl. The clock of this `MemoryStore` stands still, because a policy of any age
        # decides.
        self._policies = MemoryStore(sys.maxsize, lambda: 0.0, REPLAYED_BYTES)

    def answered(
        self,
        download: DownloadState,
        request: Request,  # noqa: ARG002 - an argument of every observer
        response: Response,
    ) -> None:
        """Store *response*, the unchanged answer.

        A 304, and an answer that says `no-store`, are not stored. An answer is also not
        stored if a proxy could have made it, or if another component stopped its
        download.
        """
        status, via_proxy = response.status, bool(download.proxy)
        # Store a redirect even if a proxy sent it, because the crawl follows redirects
        # with and without a proxy.
        is_trusted = outcome_of(status, via_proxy=via_proxy).row.is_trusted
        is_of_origin = not via_proxy or is_trusted or status in REDIRECTS
        is_whole = download.cut != "unspecified"
        is_stored = is_of_origin and is_whole and status != NOT_MODIFIED
        if not is_stored or is_private(response.headers):
            return
        cache, spider = self._middleware, self._crawler.spider
        with suppress(Exception):
            cache.storage.store_response(spider, Request(download.url), response)

    async def get(self, origin: Origin) -> Policy | None:
        """Return the policy that the cached answer of *origin* states. Return `None` if no
        answer is cached, or if the cached answer means R5 (unreachable).

        The age of the policy is counted from the `Date` of the answer. Cached redirects are
        followed.
        """
        url, urls = origin.robots_url, set[str]()
        while url not in urls and len(urls) <= self._settings.max_redirects:
            urls.add(url)
            response = self._read(url)
            if response is None:
                return None
            final_url = url if len(urls) > 1 else None
            answer = HttpAnswer(
                url=url,
                status=response.status,
                headers=response.headers,
                body=response.body,
                final_url=final_url,
            )
            now = time.time()
            result = await read_in_crawl(answer, self._reader.limit, now)
            if not isinstance(result, Redirect):
                return self._policy_of(origin, answer, result, now)
            url = result.target
        return None

    def is_replayed(self, page: Request) -> bool:
        """Return whether the HTTP cache prevents *page* from being sent. The HTTP cache
        either answers *page*, or drops *page* because no answer is cached.
        """
        cache = self._middleware
        if cache is None or not self._ignores_missing or page.meta.get("dont_cache"):
            return False
        with suppress(Exception):
            if not cache.policy.should_cache_request(page):
                return False
            cached = cache.storage.retrieve_response(self._crawler.spider, page)
            return cached is None or cache.policy.is_cached_response_fresh(cached, page)
        return False

    @property
    def passes_unknown(self) -> bool:
        """Whether a replayed page request is passed on to the HTTP cache even if no policy is
        cached.
        """
        cache = self._middleware
        return cache is not None and isinstance(cache.policy, DummyPolicy)

    async def replayed_policy(self, origin: Origin) -> Policy | None:
        """Return the cached policy of *origin* for replayed pages. The policy may have any
        age.
        """
        policy = self._policies.get(origin)
        if policy is None and (policy := await self.get(origin)):
            # Read the file now, so that the measured size of the policy includes the rules.
            if robots := policy.robots:
                reads_usage = self._settings.reads_usage
                reading = partial(
                    robots.prepare, self._robot.usual, reads_usage=reads_usage
                )
                await compute(reading, robots.size)
            self._policies.put(policy)
        return policy

    @property
    def _middleware(self) -> Any:
        """Scrapy's HTTP cache middleware. The value is `None` if the crawl does not have
        that middleware, or does not have an engine yet.
        """
        with suppress(RuntimeError, AttributeError):
            return self._crawler.get_downloader_middleware(HttpCacheMiddleware)
        return None

    def _read(self, url: str) -> Response | None:
        """Return the unchanged cached answer to a request for *url*, or `None` if no answer
        is cached.
        """
        cache = self._middleware
        with suppress(Exception):
            # The storage also returns `None` if the answer has expired.
            found = cache.storage.retrieve_response(self._crawler.spider, Request(url))
            return found if isinstance(found, Response) else None
        return None

    def _policy_of(
        self, origin: Origin, answer: HttpAnswer, result: FetchResult, now: float
    ) -> Policy | None:
        """Return the policy that *answer* states, or `None` if the policy is unknown (R5,
        unreachable). *result* is the meaning of *answer*.
        """
        if not isinstance(result, RobotsResponse):
            return None
        dated = date_of(answer.headers)
        # Do not date a policy in the future, because the clock of the server may be
        # wrong.
        at = now if dated is None else min(dated, now)
        freshness = self._settings.freshness
        policy = Policy.from_response(origin, result, self._reader, at, freshness)
        if not policy.is_known:
            return None
        if dated is None:
            policy = replace(policy, fresh_until=now, stale_until=now)
        return policy
