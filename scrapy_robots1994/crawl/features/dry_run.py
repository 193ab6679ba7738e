"""Dry run: Scrapy's own middleware decides. Our middleware changes nothing, and reports
each decision in which it would differ from Scrapy's middleware.

In this module, "our middleware" is `Robots1994Middleware`. The words "Scrapy's
middleware" mean `RobotsTxtMiddleware` or one of its subclasses.

1. `DryRun.of` checks that the crawl obeys robots.txt. If the settings list Scrapy's
   middleware before our middleware, our middleware observes Scrapy's middleware. If the
   settings do not list Scrapy's middleware, `DryRun.of` creates an instance of Scrapy's
   middleware, and this instance decides.
2. `_received` gets the answer to a robots.txt request of Scrapy's middleware, and
   `_failed` gets the exception of a failed request. `_result` returns the result that our
   middleware would get from the answer, or `None` if the result is not known. The policy
   is built from the result as in a normal crawl.
3. `process_request` is called for a request that Scrapy's middleware allows. If the
   settings do not list Scrapy's middleware, `process_request` is called for every request,
   and first lets our instance of Scrapy's middleware decide. `process_exception` is called
   if Scrapy's middleware refuses a request. `_count` compares the decision of Scrapy's
   middleware with the decision of the policy.
4. `_closed` logs the summary.

In a dry run, our code does not send requests, refuse requests or change decisions. If no
answer shows whether our middleware would allow a request, our decision is counted as not
known.
"""

from __future__ import annotations

import time
from contextlib import suppress
from logging import DEBUG, INFO
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred

from scrapy_robots1994.compare.parsers import ALLOWS, FORBIDS
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.comparison import ShadowComparison
from scrapy_robots1994.crawl.fetch_log import FetchLog
from scrapy_robots1994.crawl.log import count, counted, log_line
from scrapy_robots1994.crawl.requests import (
    EVIDENCE,
    OPT_OUT,
    RobotName,
    exemption_of,
)
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.policy.faults import fault_of, network_failure_of
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    FetchError,
    HttpAnswer,
    LocalFault,
    Redirect,
    codings_of,
    read_answer,
    retry_pause,
)
from scrapy_robots1994.policy.outcomes import Outcome, outcome_of
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

    from scrapy_robots1994.crawl.features.evidence import Evidence
    from scrapy_robots1994.crawl.settings import RobotsSettings

FORBIDDEN = "Forbidden by robots.txt"
"""The message of the `IgnoreRequest` with which Scrapy's middleware refuses a request."""

NOTHING_DECIDES = (
    "Dry run disabled: %s, so robots.txt is not obeyed in this crawl; set %s"
)

# If the body of a response is incomplete, Scrapy sets at least one of the flags in
# `_NOT_WHOLE`.
_NOT_WHOLE = frozenset({"dataloss", "partial", "download_stopped"})


class DryRun:
    """Observes Scrapy's middleware. Counts and logs each decision that our middleware would
    change, and logs a summary.

    *built_in* is an instance of Scrapy's middleware that decides in place of our
    middleware. *built_in* is `None` if `DOWNLOADER_MIDDLEWARES` already lists Scrapy's
    middleware.
    """

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        built_in: RobotsTxtMiddleware | None,
    ) -> None:
        self._crawler = crawler
        self._settings = settings
        self._built_in: Any = built_in
        self._reader = settings.new_reader()
        self._robot = RobotName(crawler)
        url = settings.store
        # Store policies only in memory, because the store in `ROBOTS1994_STORE` might
        # contain answers that this crawl did not get.
        self._memory = MemoryStore(url.max_origins, time.time, url.max_bytes)
        # Ours 3.1 (retries): use the maximum number of retries that `ScrapyBackend` uses.
        is_on = crawler.settings.getbool("RETRY_ENABLED")
        self._max_retries = crawler.settings.getint("RETRY_TIMES") if is_on else 0
        self._log = FetchLog(crawler, settings)
        self._shadow = ShadowComparison(crawler, settings)
        # Do not read these numbers from the stats, because the class in STATS_CLASS might
        # not collect any stats.
        self._requests = self._opened = self._refused = 0
        self._evidence: Evidence | None = None
        if settings.evidence is not None:
            from scrapy_robots1994.crawl.features.evidence import Evidence  # noqa: PLC0415 - an extra

            self._evidence = Evidence(crawler, settings)
            crawler.signals.connect(self._downloaded, signals.response_downloaded)
        crawler.signals.connect(self._received, signals.response_received)
        crawler.signals.connect(self._closed, signals.spider_closed)
        settings.log_start(crawler)

    @classmethod
    def of(cls, crawler: Crawler, settings: RobotsSettings, ours: type) -> Self:
        """Return the dry run for *ours*, the class of our middleware in the settings.

        Raise `NotConfigured` if ROBOTSTXT_OBEY is false, or if our middleware cannot
        observe Scrapy's middleware.
        """
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            values = ("ROBOTSTXT_OBEY is False", "ROBOTSTXT_OBEY = True")
            raise NotConfigured(NOTHING_DECIDES % values)
        classes = list(listed_middlewares(crawler.settings))
        places = [at for at, kind in enumerate(classes) if is_built_in(kind)]
        if not places:
            return cls(crawler, settings, RobotsTxtMiddleware.from_crawler(crawler))
        # If the settings list our middleware before Scrapy's middleware, our
        # `process_request` is called too early: Scrapy's middleware has not yet decided,
        # and has perhaps not yet fetched the robots.txt.
        if ours in classes and classes.index(ours) < max(places):
            raise NotConfigured(
                "DOWNLOADER_MIDDLEWARES lists our middleware before Scrapy's own robots.txt "
                "middleware: for a dry run, list it behind, or in its place"
            )
        return cls(crawler, settings, None)

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Awaitable[None] | None:
        """Count *request*, which Scrapy's middleware has allowed.

        If the settings do not list Scrapy's middleware, first let our own instance of
        Scrapy's middleware decide.
        """
        if self._built_in is not None:
            return self._decided(request, spider)
        # Do not await anything, so that requests are sent in the order of their arrival.
        self._count(request, is_open=True)
        return None

    async def _decided(self, request: Request, spider: Spider | None) -> None:
        """Let our own instance of Scrapy's middleware decide. Count *request* if the
        instance allows it.
        """
        decide = self._built_in.process_request
        # Pass `spider` only in Scrapy 2.13, whose middleware requires the argument. Newer
        # versions of Scrapy warn about the argument `spider`.
        decision = decide(request) if spider is None else decide(request, spider)
        # In Scrapy 2.13, `decide` returns a Deferred, or `None` for a request that is not
        # checked. In newer versions of Scrapy, `decide` returns a coroutine.
        if isinstance(decision, Deferred):
            decision = maybe_deferred_to_future(decision)
        if decision is not None:
            await decision
        self._count(request, is_open=True)

    def process_exception(
        self,
        request: Request,
        exception: Exception,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> None:
        """Count *request* if Scrapy's middleware refused it. If *request* is a failed
        robots.txt request, evaluate *exception*.
        """
        if _is_for_robots_txt(request):
            self._failed(request, exception)
        elif isinstance(exception, IgnoreRequest) and str(exception) == FORBIDDEN:
            self._count(request, is_open=False)

    def _downloaded(self, response: Response, request: Request) -> None:
        """Record the answer to a robots.txt request before a middleware can change it."""
        origin = Origin.of(_first_url(request))
        if self._evidence and origin and _is_for_robots_txt(request):
            self._evidence.write_exchange(origin, request, response)

    def _received(self, response: Response, request: Request) -> None:
        """Evaluate the answer to a robots.txt request. Scrapy's middleware passes
        *response* to its parser.
        """
        if not _is_for_robots_txt(request):
            return
        urls = [*request.meta.get("redirect_urls", ()), response.url]
        reasons = request.meta.get("redirect_reasons", ())
        # The answer also applies to each robots.txt URL that redirected to the final URL.
        # Start with the final URL.
        for hops, url in enumerate(reversed(urls)):
            # Stop at a meta refresh, which our middleware does not follow. For a meta
            # refresh, the redirect reason is a string instead of a status code.
            if hops and not isinstance(reasons[-hops], int):
                break
            result = self._result(response, request, hops)
            self._note(url, request, result, response.body)

    def _result(self, response: Response, request: Request, hops: int) -> Answer | None:
        """Return the result that our middleware would get from *response* after *hops*
        redirects. Return `None` if the result is not known.
        """
        if hops > (most := self._settings.max_redirects):
            # Ours R2 (redirects): our middleware has its own limit on the number of
            # redirects.
            detail = f"more than {most} redirects"
            return FetchError("too many redirects", detail, is_final=True)
        flags = response.flags
        answer = HttpAnswer(
            url=response.url,
            status=response.status,
            headers=response.headers,
            body=response.body,
            via_proxy=bool(request.meta.get("proxy")),
            final_url=response.url if hops else None,
        )
        is_late = request.meta.get("download_latency", 0) > self._settings.timeout
        # Ours R5 (unreachable): our middleware has its own time limit (`is_late`). A
        # failure from Scrapy's HTTP cache does not show whether the origin is failing now.
        outcome = outcome_of(answer.status, via_proxy=answer.via_proxy)
        is_old_failure = outcome is Outcome.UNREACHABLE and "cached" in flags
        # Ours R5 (unreachable): our middleware would retry after an incomplete body. Our
        # middleware might also be able to unpack a body that Scrapy could not unpack.
        codings = codings_of(response.headers)
        is_not_whole = bool(codings or _NOT_WHOLE.intersection(flags))
        if is_late or is_old_failure or (outcome.row.reads_body and is_not_whole):
            return None
        result = read_answer(answer, self._settings.max_bytes, time.time())
        # Ours R2 (redirects): our middleware would follow a redirect. Ours R7 (our own
        # fault): a `LocalFault` comes from a proxy here, not from the origin.
        return None if isinstance(result, (Redirect, LocalFault)) else result

    def _failed(self, request: Request, error: Exception) -> None:
        """Evaluate *error*, the exception with which the robots.txt request *request*
        failed.
        """
        # If *error* is not a network failure, a middleware raised it. For an error of a
        # middleware, `was_sent` must be `False`.
        was_sent = network_failure_of(error) is not None
        via_proxy = bool(request.meta.get("proxy"))
        result = fault_of(error, was_sent=was_sent, via_proxy=via_proxy)
        # Ours R6 (closing) and R7 (our own fault): only a `FetchError` says something
        # about the origin, so ignore any other result.
        if not isinstance(result, FetchError):
            return
        for url in (*request.meta.get("redirect_urls", ()), request.url):
            self._note(url, request, result)

    def _note(
        self, url: str, request: Request, result: Answer | None, body: bytes = b""
    ) -> None:
        """Store and log the policy that our middleware would make from *result* for the
        origin of *url*.

        Do nothing if *url* is not the URL of a robots.txt, or if *result* is `None`. Do
        nothing if the origin of *url* already has a policy, or if our middleware would
        retry the request. *body* is the body that Scrapy's middleware reads.
        """
        origin = Origin.of(url)
        if result is None or origin is None or target_of(url) != "/robots.txt":
            return
        # Use only the first answer, because our middleware would not request the
        # robots.txt again.
        if self._memory.get(origin) is not None:
            return
        retries = request.meta.get("retry_times", 0)
        if retry_pause(result, retries, self._max_retries) is not None:
            return
        now, freshness = time.time(), self._settings.freshness
        policy = Policy.from_response(origin, result, self._reader, now, freshness)
        robots = policy.robots
        if robots is None:
            self._shadow.store_body(origin, body)
        self._memory.put(policy)
        self._log.fetched(policy, result, None, None, now)
        if robots is None:
            return
        if robots.is_truncated:
            self._log.truncated(origin)
        robots.prepare(self._robot.usual)
        ignored = robots.rules(self._robot.usual).ignored
        if ignored:
            self._log.ignores(origin, ignored)

    def _count(self, request: Request, *, is_open: bool) -> None:
        """Compare the decision of Scrapy's middleware about *request* with the decision
        that our middleware would have made.

        *is_open* is `True` if Scrapy's middleware allowed *request*.
        """
        origin = Origin.of(request.url)
        # Remove any reference to the evidence for an earlier request, because *request*
        # might contain the meta of the earlier request.
        request.meta.pop(EVIDENCE, None)
        if origin is None or exemption_of(
            request.url, origin, request.meta, self._settings.exempt
        ):
            return
        self._requests += 1
        found = self._known_policy(request, origin)
        if self._evidence is not None:
            self._evidence.decided(request, origin, found)
        if isinstance(found, str):
            self._shadow.unknown += 1
            count(self._crawler, stats.NOT_KNOWN)
            text = "Dry run: our decision about <%s %s> is not known: %s"
            self._log_line(text, request, found)
            return
        robot = self._robot.of(request)
        decided = ALLOWS if is_open else FORBIDS
        theirs = self._their_name(request)
        self._shadow.compare(found, request.url, robot, theirs, decided)
        ours = found.rules(robot).verdict(request.url)
        if ours.allowed != is_open:
            self._opened += ours.allowed
            self._refused += not ours.allowed
            key = stats.WOULD_OPEN if ours.allowed else stats.WOULD_REFUSE
            count(self._crawler, key)
        if not is_open:
            text = "Dry run: Scrapy's own middleware refused <%s %s>: %s"
            why = "our middleware would "
            why += "allow the request" if ours.allowed else "also refuse the request"
            self._log_line(text, request, why)
        elif not ours.allowed:
            self._log_line(
                "Dry run: our middleware would refuse <%s %s>: %s", request, ours
            )

    def _known_policy(self, request: Request, origin: Origin) -> Policy | str:
        """Return the policy with which our middleware would decide about *request*, a
        request to *origin*. If our decision is not known, return the reason as a string.
        """
        policy = self._memory.get(origin)
        if policy is None:
            return (
                "our middleware would not have accepted any robots.txt answer as final"
            )
        # Our middleware would send the robots.txt request in the same way as the page
        # request, for example through the same proxy. A robots.txt that was requested in
        # a different way has the same content, but HTTP errors and failures might differ.
        keys = ("proxy", "bindaddress", *self._settings.propagate_meta)
        has_route = any(request.meta.get(key) for key in keys)
        # A proxy from the environment also applies to the robots.txt requests of Scrapy's
        # middleware.
        is_own = has_route and not request.meta.get("_scheme_proxy")
        if is_own and not policy.outcome.row.allows:
            return (
                "our middleware would have requested robots.txt in the same way as the "
                "page, for example through the proxy of the page"
            )
        return policy

    def _their_name(self, request: Request) -> str | bytes:
        """Return the robot name for which the other parsers decide. The robot name affects
        only the report of the comparison.
        """
        settings = self._crawler.settings
        sent = request.headers.get(b"User-Agent", settings["USER_AGENT"])
        return settings["ROBOTSTXT_USER_AGENT"] or sent or ""

    def _log_line(self, text: str, request: Request, why: object) -> None:
        """Log one line about *request* at the level DEBUG."""
        log_line(self._crawler, DEBUG, text, request.method, request.url, why)

    def _closed(self) -> None:
        """Log one line with the number of decisions that our middleware would change, and
        with the path of the report.
        """
        where = "set ROBOTS1994_COMPARE_REPORT to write a report"
        if self._shadow.report_path is not None:
            where = f"the report is {self._shadow.report_path}"
        unknown = self._shadow.unknown
        log_line(
            self._crawler,
            INFO,
            "Dry run: the rules of the built-in middleware decided about %s; our middleware "
            "would allow %d of those refused, and refuse %d of those allowed%s; %s",
            counted(self._requests, "request"),
            self._opened,
            self._refused,
            f"; our decision is not known for {unknown:,}" if unknown else "",
            where,
        )


def listed_middlewares(settings: BaseSettings) -> dict[type, float]:
    """Return the classes of the enabled downloader middlewares with their orders, sorted
    by order.
    """
    orders: dict[type, float | None] = {}
    for key, order in settings.getwithbase("DOWNLOADER_MIDDLEWARES").items():
        # Skip a middleware that cannot be imported, because Scrapy itself reports the
        # error.
        with suppress(ImportError, NameError, TypeError, ValueError):
            orders[load_object(key)] = order
    enabled = {kind: order for kind, order in orders.items() if order is not None}
    return dict(sorted(enabled.items(), key=lambda it: it[1]))


def is_built_in(kind: object) -> bool:
    """Return whether *kind* is `RobotsTxtMiddleware` or one of its subclasses."""
    return isinstance(kind, type) and issubclass(kind, RobotsTxtMiddleware)


def _is_for_robots_txt(request: Request) -> bool:
    """Return whether *request* is a robots.txt request of Scrapy's middleware, perhaps
    after redirects or retries.
    """
    return (
        request.callback is NO_CALLBACK
        and bool(request.meta.get(OPT_OUT))
        and target_of(_first_url(request)) == "/robots.txt"
    )


def _first_url(request: Request) -> str:
    """Return the URL of *request* before any redirect."""
    first: str = (*request.meta.get("redirect_urls", ()), request.url)[0]
    return first
