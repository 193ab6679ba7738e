"""Tests of crawls that apply the delays in robots.txt files (ROBOTS1994_CRAWL_DELAY)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from scrapy import signals
from scrapy.settings import default_settings

from tests.support import replies
from tests.support.crawl import COMPONENTS, CrawlResult, Reactor, crawl, start_crawl
from tests.support.left_out import table
from tests.support.site import Site

EXTENDED: dict[str, Any] = {
    "ROBOTS1994_DIALECT": "extended",
    "ROBOTS1994_CRAWL_DELAY": True,
    # Use the newer name of the setting if Scrapy has this name. The older name causes a
    # warning since Scrapy 2.19.
    **(
        {"DOWNLOAD_DELAY_JITTER": 0.5}
        if hasattr(default_settings, "DOWNLOAD_DELAY_JITTER")
        else {"RANDOMIZE_DOWNLOAD_DELAY": True}
    ),
}


def stating(delay: float) -> str:
    """Return a robots.txt that states the crawl delay *delay*, and disallows nothing."""
    return f"User-agent: *\nCrawl-delay: {delay}\nDisallow:\n"


def times(site: Site, host: str) -> list[float]:
    """Return the arrival times of all requests for *host*, including robots.txt requests."""
    return [seen.at for seen in site.log() if seen.host.startswith(host)]


def gaps(site: Site, host: str) -> list[float]:
    """Return the seconds between the requests for *host*, according to the server's clock.

    A pause begins when an answer arrives. So a busy machine makes gaps longer, never shorter,
    and the tests assert no upper limit in seconds.
    """
    return [after - before for before, after in pairwise(times(site, host))]


def states(result: CrawlResult) -> list[tuple[Any, ...]]:
    """Return the delay and the concurrency of the download slot at the end of each
    download.
    """
    return [tuple(state) for state in result.stats["test/slot/127.0.0.1"]]


def test_each_origin_has_its_delay_and_one_without_has_none(
    site: Site, reactor: Reactor
) -> None:
    """The requests to each origin come at the interval that its file states, or later."""
    delays = {f"{delay}.test": delay for delay in (0.6, 0.7, 0.8, 0.9, 1.0)}
    for host, delay in delays.items():
        site.robots(stating(delay), at=host)
    slow = [site.url(f"/{n}", host=host) for n in range(5) for host in delays]
    free = [site.url(f"/{n}", host="free.test") for n in range(20)]
    result = crawl(slow + free, settings=EXTENDED, reactor=reactor)

    assert len(result.fetched) == len(slow) + len(free)
    found = {host: min(gaps(site, host)) for host in delays}
    assert {host: gap for host, gap in found.items() if gap < delays[host]} == {}
    assert result.stats["robots1994/crawl_delay/kept"] == len(delays)


def test_downloader_without_slots_applies_the_delay(
    site: Site, reactor: Reactor
) -> None:
    """The crawl delay is also applied if the downloader has no slots.

    A downloader with slots applies the crawl delay through the download slot.
    """
    settings = {
        "DOWNLOADER": f"{COMPONENTS}.SlotlessDownloader",
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    }
    site.robots(stating(0.5))
    urls = [site.url(f"/{number}") for number in range(3)]
    result = crawl(urls, settings=EXTENDED | settings, reactor=reactor)

    assert len(result.fetched) == 3
    assert min(gaps(site, "127.0.0.1")) >= 0.5


def test_delay_over_the_maximum_is_capped_and_logged(site: Site) -> None:
    """A delay above the maximum in ROBOTS1994_CRAWL_DELAY is capped, and the cap is logged
    once per origin.
    """
    site.robots(stating(999))
    result = crawl(
        [site.url("/1"), site.url("/2")],
        settings=EXTENDED | {"ROBOTS1994_CRAWL_DELAY": "0.2"},
    )

    assert min(gaps(site, "127.0.0.1")) >= 0.2
    (line,) = result.lines("asks for a pause of 999 s")
    assert "a pause of 0.2 s is applied (ROBOTS1994_CRAWL_DELAY)" in line
    assert result.stats["robots1994/crawl_delay/capped"] == 1


@table(
    "settings",
    {"DOWNLOAD_SLOTS": {"127.0.0.1": {"delay": 0.4, "concurrency": 3}}},
    {"DOWNLOAD_DELAY": 0.4},
)
def test_longer_configured_delay_stays(site: Site, settings: dict[str, Any]) -> None:
    """If the user's download delay is longer than the crawl delay in robots.txt, the user's
    delay applies.
    """
    site.robots(stating(0.3))
    pages = [site.url(f"/{n}") for n in range(4)]
    result = crawl(pages, settings=EXTENDED | settings, hook="note_slots")

    assert {delay for delay, _ in states(result)} == {0.4}
    assert min(gaps(site, "127.0.0.1")) >= 0.3


def test_autothrottle_never_lowers_the_delay_below_that_of_the_file(site: Site) -> None:
    """The delay in robots.txt applies even if AutoThrottle lowers the delay of the download
    slot.

    AutoThrottle begins with a delay that is longer than the delay in robots.txt, and lowers
    its own delay because the server is fast.
    """
    throttled = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.6}
    site.robots(stating(0.3))
    pages = [site.url(f"/{n}") for n in range(5)]
    result = crawl(pages, settings=EXTENDED | throttled, hook="note_slots")

    assert min(gaps(site, "127.0.0.1")) >= 0.3
    delays = [delay for delay, _ in states(result)]
    assert (delays[0], delays[-1] < 0.3) == (0.6, True)


def test_delay_ends_when_the_policy_states_none(site: Site, reactor: Reactor) -> None:
    """If a refreshed robots.txt states no crawl delay, the next pages are requested without
    a delay.
    """
    site.answer("/robots.txt", [replies.text(stating(0.4)), replies.text("")])
    for number in range(12):
        link = f'<a href="/{number + 1}">x</a>'
        site.answer(f"/{number}", replies.html(link))
    result = crawl(
        [site.url("/0")],
        reactor=reactor,
        settings=EXTENDED | {"ROBOTS1994_TTL": 1, "ROBOTS1994_MIN_TTL": 0},
        spider_args={"follow": True},
    )

    assert len(result.fetched) == 13
    first, *others = gaps(site, "127.0.0.1")
    assert first >= 0.4
    assert min(others) < first / 2
    assert not result.error


MANY = 16
QUEUES = ["DownloaderAwarePriorityQueue", "ScrapyPriorityQueue"]


@table("queue", *QUEUES, short=2)
def test_pages_that_wait_for_a_long_delay_stop_no_other_origin(
    site: Site, reactor: Reactor, queue: str
) -> None:
    """Pages that wait for a crawl delay of 60 s do not block the pages of 20 other hosts.

    The concurrency is 4, and sixteen pages of the slow host come first. With
    CLOSESPIDER_PAGECOUNT, only a few requests may wait for a robots.txt at once. The
    number of requests that wait for a crawl delay is not limited.
    """
    site.robots(stating(60), at="slow.test")
    slow = [site.url(f"/{number}", host="slow.test") for number in range(MANY)]
    free = [
        site.url(f"/{page}", host=f"h{number}.test")
        for page in range(3)
        for number in range(20)
    ]
    settings = {
        "CONCURRENT_REQUESTS": 4,
        "CLOSESPIDER_PAGECOUNT": 1_000,
        "SCHEDULER_PRIORITY_QUEUE": f"scrapy.pqueues.{queue}",
    }
    running = start_crawl([*slow, *free], settings=EXTENDED | settings, reactor=reactor)
    for number in range(20):
        site.wait("*", count=4, host=f"h{number}.test")
    running.send_sigint()
    result = running.result()

    assert result.failed == []
    assert len(times(site, "slow.test")) <= 2


def test_queue_by_slots_takes_few_pages_of_an_origin_with_a_delay(site: Site) -> None:
    """With `DownloaderAwarePriorityQueue`, most pages of an origin with a crawl delay stay
    in the scheduler.

    ROBOTS1994_MAX_WAITING is 5. The pages of the slow origin in the scheduler do not
    block the pages of another host.
    """
    site.robots(stating(60), at="slow.test")
    site.robots("", at="z-free.test")
    # If two hosts have equally many active requests, the queue takes the first host by
    # name. Therefore, the name of the slow host sorts before the name of the other host.
    pages = [
        site.url(f"/{number}", host=host)
        for number in range(40)
        for host in ("slow.test", "z-free.test")
    ]
    settings = {
        "CONCURRENT_REQUESTS": 4,
        "ROBOTS1994_MAX_WAITING": 5,
        "SCHEDULER_PRIORITY_QUEUE": f"scrapy.pqueues.{QUEUES[0]}",
    }
    running = start_crawl(pages, settings=EXTENDED | settings)
    site.wait("*", count=41, host="z-free.test")
    running.send_sigint()

    assert running.result().failed == []


EXTENSION: dict[str, Any] = {"EXTENSIONS": {"scrapy_robots1994.CrawlDelay": 500}}
BY_SIGNAL = EXTENSION | {"ROBOTS1994_CRAWL_DELAY": True}
"""Settings for a crawl with the extension `CrawlDelay` and the built-in middleware."""


def test_extension_applies_delays_with_the_built_in_middleware(site: Site) -> None:
    """If Scrapy has the signal `robots_parsed`, the extension `CrawlDelay` works with the
    built-in middleware.

    If Scrapy does not have the signal `robots_parsed`, the log recommends a newer
    version of Scrapy.
    """
    site.robots(stating(0.3))
    result = crawl(
        [site.url("/1"), site.url("/2")], middleware="builtin", settings=BY_SIGNAL
    )

    assert len(result.fetched) == 2
    if hasattr(signals, "robots_parsed"):
        assert gaps(site, "127.0.0.1")[-1] >= 0.3
    else:
        assert "use Scrapy 2.18 or newer" in result.log


@table("stated", "inf", "nan", "-5")
def test_delay_that_no_timer_accepts_is_not_applied(site: Site, stated: str) -> None:
    """A crawl delay that is infinite, negative or not a number is not applied.

    If an invalid delay were applied, the requests of the origin would never leave the
    download slot.
    """
    site.robots(f"User-agent: *\nCrawl-delay: {stated}\n")
    result = crawl(
        [site.url("/1"), site.url("/2")],
        middleware="builtin",
        settings={**BY_SIGNAL, "ROBOTSTXT_PARSER": f"{COMPONENTS}.AnyFloatParser"},
    )

    assert len(result.fetched) == 2
    assert "robots1994/crawl_delay/kept" not in result.stats


def test_crawl_with_extension_and_our_middleware_ends(
    site: Site, reactor: Reactor
) -> None:
    """A crawl with both the extension `CrawlDelay` and our middleware ends.

    Both the extension and our middleware raise the limit of concurrent requests while
    requests wait. In an earlier version of our package, each component undid the change of
    the other component.
    """
    hosts = [f"host{number}.test" for number in range(6)]
    site.robots(stating(0.2))
    result = crawl(
        [site.url(f"/{page}", host=host) for page in range(5) for host in hosts],
        settings=EXTENDED | EXTENSION | {"CONCURRENT_REQUESTS": 4},
        reactor=reactor,
        timeout=60,
    )

    assert len(result.fetched) == 30


def test_extension_is_off_by_default(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ROBOTS1994_CRAWL_DELAY, the extension `CrawlDelay` does nothing, even if
    EXTENSIONS enables the extension.
    """
    monkeypatch.delenv("ROBOTS1994_TEST_BEYOND", raising=False)
    result = crawl([site.url("/1")], settings=EXTENSION)

    assert len(result.fetched) == 1
    assert "ROBOTS1994_CRAWL_DELAY is False" in result.log


@table("pause", 0.0, 0.2)
def test_page_cancelled_in_the_queue_of_its_slot_is_not_counted(
    site: Site, reactor: Reactor, pause: float
) -> None:
    """After a page is cancelled in the queue of its download slot, the next page is
    fetched.

    At the end, the downloader counts no active request. The test does not check whether
    Scrapy requests the cancelled page.
    """
    site.robots(stating(1))
    result = crawl(
        [site.url(f"/{number}") for number in range(3)],
        spider="CancelsQueued",
        spider_args={"pause": pause},
        settings=EXTENDED,
        reactor=reactor,
    )

    assert result.items == [{"ends": ["200", "CancelledError", "200"], "active": 0}]
    assert site.targets()[-1] == "/2"


def test_redirects_obey_the_crawl_delay_of_their_target(site: Site) -> None:
    """If four hosts redirect to one host, the redirected requests obey the crawl delay of
    that host.
    """
    site.robots(stating(0.5), at="slow.test")
    hosts = [f"h{number}.test" for number in range(4)]
    for host in hosts:
        target = site.url(f"/{host}", host="slow.test")
        site.answer("/moved", replies.redirect(target), at=host)
    result = crawl([site.url("/moved", host=it) for it in hosts], settings=EXTENDED)

    assert len(result.fetched) == 4
    # The first request at `slow.test` is for robots.txt, and the other requests are for
    # pages.
    assert len(gaps(site, "slow.test")) == 4
    assert min(gaps(site, "slow.test")[1:]) >= 0.5


@table(
    ("spider", "start"),
    # In this row of the table, the crawl requests a second host after a redirect to the
    # host with a delay.
    ("tests.support.child:RequestingSpider", "free.test"),
    # In this row of the table, requests for a second host have the meta of a page of
    # the host with a delay.
    ("MetaPassingSpider", "slow.test"),
)
def test_crawl_delay_applies_to_no_other_host(
    site: Site, spider: str, start: str
) -> None:
    """The delay of one host does not apply to the pages of another host."""
    site.robots(stating(4), at="slow.test")
    free = [site.url(f"/{number}", host="free.test") for number in range(3)]
    links = "".join(f'<a href="{url}">x</a>' for url in free)
    site.answer("/start", replies.html(links), at="slow.test")
    moved = replies.redirect(site.url("/start", host="slow.test"))
    site.answer("/start", moved, at="free.test")
    is_passing = spider == "MetaPassingSpider"
    args = {"further_urls": free} if is_passing else {"follow": True}
    first = site.url("/start", host=start)
    result = crawl([first], spider=spider, spider_args=args, settings=EXTENDED)

    assert set(free) <= set(result.fetched_urls)
    assert min(gaps(site, "free.test")[-2:]) < min(gaps(site, "slow.test")) / 2
