"""Sitemaps: a signal for those that a robots.txt names, and the fetched file for a
`SitemapSpider`, which would request it once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from scrapy.http import TextResponse
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.body import encode

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.robotstxt import RobotsTxt

robots_sitemaps = object()
"""Sent once for each robots.txt that names sitemaps, in a dialect with Sitemap.

Arguments: *sitemaps*, a tuple of absolute URLs; *origin*, whose file names them;
*robots*, the parsed file; *request*, the page request that needed it.
"""


async def offer_sitemaps(
    crawler: Crawler, origin: Origin, robots: RobotsTxt, request: Request
) -> None:
    """Send `robots_sitemaps` if *robots*, the file of *origin*, names any."""
    sitemaps = sitemaps_of(origin, robots)
    if not sitemaps:
        return
    arguments = {
        "sitemaps": sitemaps,
        "origin": origin,
        "robots": robots,
        "request": request,
    }
    signals = crawler.signals
    if hasattr(signals, "send_catch_log_async"):
        await signals.send_catch_log_async(robots_sitemaps, **arguments)
    else:  # pragma: no cover - Scrapy 2.13
        sent = signals.send_catch_log_deferred(robots_sitemaps, **arguments)
        await maybe_deferred_to_future(sent)


def sitemaps_of(origin: Origin, robots: RobotsTxt) -> tuple[str, ...]:
    """Return the http and https URLs of the sitemaps that *robots* names, each once."""
    found = []
    for named in robots.sitemaps:
        try:
            url = urljoin(origin.robots_url, named)
        except ValueError:
            continue
        # An address without a host is joined to that of the file itself.
        if Origin.of(url) is not None and url != origin.robots_url:
            found.append(url)
    return tuple(dict.fromkeys(found))


def handed_out(policy: Policy, request: Request) -> TextResponse | None:
    """Return the file of *policy* as the response to a spider's own *request* for it.

    `None` if no server answered.
    """
    if policy.robots is not None:
        body, status = encode(policy.robots.text), 200
    elif policy.status is not None:
        body, status = b"", policy.status
    else:
        return None
    return TextResponse(
        request.url,
        status=status,
        headers={"Content-Type": "text/plain; charset=utf-8"},
        body=body,
        request=request,
        flags=["robots1994"],
    )
