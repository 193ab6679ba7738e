"""Apply robots.txt to the requests that the browser of scrapy-playwright makes on its own
(`ROBOTS1994_BROWSER`).
"""

import asyncio
from collections import Counter
from inspect import isawaitable
from logging import DEBUG, INFO
from typing import Any, Protocol

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import count, counted, log_line, total
from scrapy_robots1994.crawl.requests import BROWSER_REQUEST, SLOT_KEY
from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser import Verdict
from scrapy_robots1994.parser.spellings import canonical, without_dot_segments

SETTING = "PLAYWRIGHT_ABORT_REQUEST"
"""The setting of scrapy-playwright whose value is a function. The browser aborts each
request for which the function returns `True`.
"""


class Judge(Protocol):
    """The part of `Robots1994Middleware` that this module uses."""

    async def judge(self, request: Request) -> Verdict:
        """Return the verdict for *request*."""


def check_browser(crawler: Crawler, settings: BaseSettings, judge: type[Judge]) -> None:
    """Set `PLAYWRIGHT_ABORT_REQUEST` to an instance of `BrowserRequests`.

    If the project has set `PLAYWRIGHT_ABORT_REQUEST` to a function, `BrowserRequests`
    calls that function first. Raise `SettingsError` if the function of the project cannot
    be loaded.

    *judge* is the class of the middleware that decides whether a request is allowed.
    """
    own = settings[SETTING]
    try:
        own = own and load_object(own)
    except (ImportError, NameError, AttributeError, TypeError, ValueError) as error:
        raise SettingsError(
            f"{SETTING}: {escape_control_chars(str(error))}; write the path of a function"
        ) from error
    # Use the priority with which the project has set `PLAYWRIGHT_ABORT_REQUEST`. If the
    # project has not set `PLAYWRIGHT_ABORT_REQUEST`, use the priority of add-ons.
    priority = settings.getpriority(SETTING) if own else "addon"
    settings.set(SETTING, BrowserRequests(crawler, own, judge), priority=priority or 0)


class BrowserRequests:
    """Makes Playwright abort each browser request that robots.txt disallows.

    Requests for http and https URLs are checked, including most navigations. A navigation
    to a URL that Scrapy itself requested is not checked, because the crawl has already
    checked that URL. A request is also aborted if no policy can be found. *own* is
    `None`, or a function of the project that is called before robots.txt is checked.
    """

    def __init__(self, crawler: Crawler, own: Any, judge: type[Judge]) -> None:
        self._crawler = crawler
        self._judge_class = judge
        self._own = own
        # `_requested` maps the `_key` of each URL to the number of pages with that URL
        # that the browser is loading for Scrapy.
        self._requested: Counter[object] = Counter()
        self._middleware: Judge | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._checked = 0
        connect = crawler.signals.connect
        connect(self._opened, signals.spider_opened)
        connect(self._reached, signals.request_reached_downloader)
        connect(self._left, signals.request_left_downloader)
        connect(self._closed, signals.spider_closed)

    def __repr__(self) -> str:
        """Return the text that Scrapy logs for this object under "Overridden settings"."""
        own = f", after {self._own!r}" if self._own else ""
        return f"<requests that robots.txt disallows{own}>"

    async def __call__(self, request: Any) -> bool:
        """Return whether Playwright must abort *request*, which is a request of the
        browser.
        """
        if self._own:
            aborts = self._own(request)
            if (await aborts) if isawaitable(aborts) else aborts:
                return True
        url: str = request.url
        if self._middleware is None or Origin.of(url) is None:
            # If the middleware is not enabled, the crawl does not obey robots.txt. A URL
            # without an origin, such as a `data:` URL, has no robots.txt.
            return False
        if request.is_navigation_request() and self._requested[_key(url)] > 0:
            return False
        judging = self._is_disallowed(request.method, url)
        if self._loop in (None, asyncio.get_running_loop()):
            return await judging
        # On Windows, scrapy-playwright calls this method in an event loop of its own, in
        # another thread. Run `judging` in the event loop of the crawl.
        return await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(judging, self._loop)
        )

    async def _is_disallowed(self, method: str, url: str) -> bool:
        """Return whether a request for *url* must be aborted, and count the request."""
        assert self._middleware is not None  # noqa: S101 - the caller has checked
        # Use a separate download slot for the robots.txt request. In the slot of the
        # host, the robots.txt request could wait until the browser has loaded a page. The
        # browser cannot finish a page while a request of the page waits for the
        # robots.txt.
        slot = f"robots1994 {Origin.of(url)}"
        meta = {"verbatim_url": True, BROWSER_REQUEST: True, SLOT_KEY: slot}
        self._checked += 1
        try:
            verdict = await self._middleware.judge(
                Request(url, method=method, meta=meta)
            )
        except Exception as error:  # noqa: BLE001 - any exception means no policy
            count(self._crawler, stats.BROWSER_UNKNOWN)
            self._log(method, url, error)
            return True
        if verdict.allowed:
            return False
        count(self._crawler, stats.BROWSER_DISALLOWED)
        self._log(method, url, verdict)
        return True

    def _log(self, method: str, url: str, why: object) -> None:
        text = "Aborted a request of the browser: <%s %s>: %s"
        log_line(self._crawler, DEBUG, text, method, url, str(why))

    def _opened(self) -> None:
        """Store the middleware and the event loop of the crawl. The middleware is `None`
        if the crawl does not obey robots.txt.
        """
        self._middleware = self._crawler.get_downloader_middleware(self._judge_class)
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None

    def _reached(self, request: Request) -> None:
        """Count a page that the browser is about to load."""
        if request.meta.get("playwright"):
            self._requested[_key(request.url)] += 1

    def _left(self, request: Request) -> None:
        """Stop counting a page that the browser has loaded."""
        # Subtract a `Counter`, because the subtraction also removes each key whose count
        # is not positive.
        self._requested -= Counter([_key(request.url)])

    def _closed(self) -> None:
        """Log how many requests were checked, and how many of them were aborted. If no
        request was checked, log nothing.
        """
        if not self._checked:
            return
        text = (
            "robots.txt was applied to %s that the browser sent by itself: %d were "
            "aborted because robots.txt disallows them, and %d because no policy was "
            "found"
        )
        checked = counted(self._checked, "request")
        disallowed = total(self._crawler, stats.BROWSER_DISALLOWED)
        unknown = total(self._crawler, stats.BROWSER_UNKNOWN)
        log_line(self._crawler, INFO, text, checked, disallowed, unknown)


def _key(url: str) -> object:
    """Return a key that is equal for all spellings of one URL.

    Scrapy and the browser can spell a URL in different ways.
    """
    path, mark, query = target_of(url).partition("?")
    path = without_dot_segments(path.replace("\\", "/"))
    return Origin.of(url), canonical(path + mark + query)
