"""Crawls with the delays that robots.txt files state: ROBOTS1994_CRAWL_DELAY."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from scrapy import signals
from scrapy.core.downloader import Downloader
from scrapy.settings import default_settings

from tests.support import replies
from tests.support.crawl import CrawlResult, Reactor, crawl, reactors
from tests.support.site import Site

DELAYS = {"a.test": 0.3, "b.test": 0.4, "c.test": 0.5, "d.test": 0.6, "e.test": 0.7}
FREE = "free.test"
PAGES = 5
FREE_PAGES = 20
"""More than any other may send meanwhile, few enough for a machine that is busy."""

EXTENDED: dict[str, Any] = {
    "ROBOTS1994_DIALECT": "extended",
    "ROBOTS1994_CRAWL_DELAY": True,
    # By the name that this Scrapy knows; the older one warns since 2.19.
    **(
        {"DOWNLOAD_DELAY_JITTER": 0.5}
        if hasattr(default_settings, "DOWNLOAD_DELAY_JITTER")
        else {"RANDOMIZE_DOWNLOAD_DELAY": True}
    ),
}
NOTED = "tests.crawl.slot_notes:note_slots"


def stating(delay: float) -> str:
    """Return a robots.txt that states that delay and disallows nothing."""
    return f"User-agent: *\nCrawl-delay: {delay}\nDisallow:\n"


def times(site: Site, host: str) -> list[float]:
    """When the requests for a host came in, robots.txt among them."""
    return [seen.at for seen in site.log() if seen.host.startswith(host)]


def gaps(site: Site, host: str) -> list[float]:
    """Seconds between two requests for a host, by the server's clock."""
    return [after - before for before, after in pairwise(times(site, host))]


def states(result: CrawlResult, slot: str = "127.0.0.1") -> list[tuple[Any, ...]]:
    """How the slot was at each request that left the downloader."""
    return [tuple(state) for state in result.stats[f"test/slot/{slot}"]]


@pytest.mark.parametrize("reactor", reactors())
def test_five_origins_have_their_delays_and_a_sixth_full_speed(
    reactor: Reactor,
) -> None:
    """No two requests for an origin are nearer than it states; the sixth is done before
    any other had four.
    """
    with Site() as site:
        for host, delay in DELAYS.items():
            site.robots(stating(delay), at=host)
        slow = [site.url(f"/{n}", host=host) for n in range(PAGES) for host in DELAYS]
        free = [site.url(f"/{n}", host=FREE) for n in range(FREE_PAGES)]
        result = crawl(slow + free, settings=EXTENDED, reactor=reactor)

        found = {host: min(gaps(site, host)) for host in DELAYS}
        done = times(site, FREE)[-1]
        fourth = min(times(site, host)[4] for host in DELAYS)

    assert len(result.fetched) == len(slow) + len(free)
    assert {host: gap for host, gap in found.items() if gap < DELAYS[host]} == {}
    assert done < fourth
    assert result.stats["robots1994/crawl_delay/kept"] == len(DELAYS)


class SlotlessDownloader:
    """A downloader with all that the engine calls, and no slots."""

    def __init__(self, crawler: Any) -> None:
        self._real = Downloader(crawler)
        self.active = self._real.active
        self.fetch = self._real.fetch
        self.needs_backout = self._real.needs_backout
        self.close = self._real.close
        self.middleware = self._real.middleware


@pytest.mark.parametrize("reactor", reactors())
def test_downloader_without_slots_applies_no_delay_and_one_line_says_so(
    reactor: Reactor,
) -> None:
    """Nothing else is lost."""
    settings = {
        "DOWNLOADER": "tests.crawl.test_crawl_delay.SlotlessDownloader",
        # The default one of newer versions asks the downloader for keys of slots.
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    }
    with Site() as site:
        site.robots(stating(0.5))
        urls = [site.url("/", host=f"h{number}.test") for number in range(3)]
        result = crawl(urls, settings=EXTENDED | settings, reactor=reactor)

    assert len(result.fetched) == 3
    said = "This Scrapy has no downloader.slots: no crawl delay is applied"
    assert result.log.count(said) == 1
    assert "robots1994/crawl_delay/kept" not in result.stats


def test_a_delay_over_the_cap_is_cut_and_reported() -> None:
    """Once an origin, in the log and in the stats."""
    with Site() as site:
        site.robots(stating(999))
        result = crawl(
            [site.url("/1"), site.url("/2")],
            settings=EXTENDED | {"ROBOTS1994_CRAWL_DELAY": "0.2"},
        )

        assert min(gaps(site, "127.0.0.1")) >= 0.2

    said = [line for line in result.log.split("\n") if "Crawl-delay of 999 s" in line]
    assert len(said) == 1
    assert "0.2 s are applied (ROBOTS1994_CRAWL_DELAY)" in said[0]
    assert result.stats["robots1994/crawl_delay/capped"] == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"DOWNLOAD_DELAY": 0.4},
        {"DOWNLOAD_SLOTS": {"127.0.0.1": {"delay": 0.4, "concurrency": 3}}},
    ],
)
def test_the_users_own_delay_stays_where_it_is_longer(settings: dict[str, Any]) -> None:
    """Whichever way it was set; a delay of the file that is longer wins."""
    with Site() as site:
        site.robots(stating(0.3))
        pages = [site.url(f"/{n}") for n in range(4)]
        result = crawl(pages, settings=EXTENDED | settings, hook=NOTED)

    delays = [delay for delay, _, _ in states(result)[1:]]
    assert max(delays) >= 0.4
    assert min(delays) >= 0.3


def test_autothrottle_moves_the_delay_but_never_below_the_files() -> None:
    """It begins above and, the server being quick, would end far below."""
    throttled = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.6}
    with Site() as site:
        site.robots(stating(0.3))
        pages = [site.url(f"/{n}") for n in range(5)]
        result = crawl(pages, settings=EXTENDED | throttled, hook=NOTED)

        assert min(gaps(site, "127.0.0.1")) >= 0.3

    delays = [delay for delay, _, _ in states(result)]
    assert delays[0] == 0.6
    assert delays[-1] == 0.3


@pytest.mark.parametrize("reactor", reactors())
def test_the_slot_is_as_it_was_once_the_policy_states_no_delay(
    reactor: Reactor,
) -> None:
    """A refreshed robots.txt without the delay gives the slot back."""
    with Site() as site:
        site.answer("/robots.txt", [replies.text(stating(0.2)), replies.text("")])
        for number in range(12):
            link = f'<a href="/{number + 1}">x</a>'
            site.answer(f"/{number}", replies.html(link))
        result = crawl(
            [site.url("/0")],
            reactor=reactor,
            settings=EXTENDED | {"ROBOTS1994_TTL": 0.5, "ROBOTS1994_MIN_TTL": 0},
            spider_args={"follow": True},
            hook=NOTED,
        )

    found = states(result)
    assert (0.2, 1, 0.0) in found
    assert found[-1] == found[0] == (0.0, 8, 0.5)
    assert not result.error


def test_the_default_dialect_has_no_delay_and_warns() -> None:
    """The setting alone changes nothing but one warning."""
    with Site() as site:
        site.robots(stating(999))
        result = crawl(
            [site.url("/1"), site.url("/2")],
            settings={"ROBOTS1994_CRAWL_DELAY": True},
            hook=NOTED,
        )

    assert len(result.fetched) == 2
    assert set(states(result)) == {(0.0, 8, 0.5)}
    assert "ROBOTS1994_CRAWL_DELAY has no effect" in result.log


BY_SIGNAL = {
    "EXTENSIONS": {"scrapy_robots1994.CrawlDelay": 500},
    "ROBOTS1994_CRAWL_DELAY": True,
}
"""The extension alone, which the built-in middleware tells of delays."""


def test_delays_of_the_built_ins_parsers_come_by_signal() -> None:
    """The extension with the built-in middleware, if Scrapy has the signal; if it has
    none, the log says what to do.
    """
    with Site() as site:
        site.robots(stating(0.3))
        result = crawl(
            [site.url("/1"), site.url("/2")],
            middleware="builtin",
            settings=BY_SIGNAL,
        )
        last = gaps(site, "127.0.0.1")[-1]

    assert len(result.fetched) == 2
    if hasattr(signals, "robots_parsed"):
        assert last >= 0.3
    else:
        assert "use Scrapy 2.18 or newer" in result.log


class AnyFloatParser:
    """A parser that reads the delay as `float` does, as RerpRobotParser."""

    def __init__(self, body: bytes) -> None:
        self.stated = body.partition(b"Crawl-delay: ")[2]

    @classmethod
    def from_crawler(cls, _crawler: Any, body: bytes) -> AnyFloatParser:
        """Read a file with a delay."""
        return cls(body)

    def allowed(self, *_: object) -> bool:
        """Allow everything."""
        return True

    def crawl_delay(self, _robot: object) -> float:
        """Return the delay."""
        return float(self.stated)


@pytest.mark.parametrize("stated", ["inf", "nan", "-5"])
def test_no_delay_is_applied_for_a_number_that_no_timer_takes(stated: str) -> None:
    """Else the requests of the origin would never leave their slot."""
    with Site() as site:
        site.robots(f"User-agent: *\nCrawl-delay: {stated}\n")
        result = crawl(
            [site.url("/1"), site.url("/2")],
            middleware="builtin",
            settings={
                **BY_SIGNAL,
                "ROBOTSTXT_PARSER": "tests.crawl.test_crawl_delay.AnyFloatParser",
            },
        )

    assert len(result.fetched) == 2
    assert "robots1994/crawl_delay/kept" not in result.stats


@pytest.mark.parametrize("reactor", reactors())
def test_extension_with_our_middleware_lets_the_crawl_end(
    reactor: Reactor,
) -> None:
    """Both have requests that do not count, and each once restored the other's state."""
    hosts = [f"host{number}.test" for number in range(6)]
    with Site() as site:
        site.robots(stating(0.2))
        result = crawl(
            [site.url(f"/{page}", host=host) for page in range(5) for host in hosts],
            settings=EXTENDED
            | {
                "EXTENSIONS": {"scrapy_robots1994.CrawlDelay": 500},
                "CONCURRENT_REQUESTS": 4,
            },
            reactor=reactor,
            timeout=60,
        )

    assert len(result.fetched) == 30


def test_the_extension_is_off_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed by hand, without the setting, it does nothing."""
    monkeypatch.delenv("ROBOTS1994_TEST_BEYOND", raising=False)
    with Site() as site:
        result = crawl(
            [site.url("/1")],
            settings={"EXTENSIONS": {"scrapy_robots1994.CrawlDelay": 500}},
        )

    assert len(result.fetched) == 1
    assert "ROBOTS1994_CRAWL_DELAY is False" in result.log


@pytest.mark.parametrize("reactor", reactors())
@pytest.mark.parametrize("pause", [0.0, 0.2])
def test_a_page_cancelled_in_the_queue_of_its_slot_ends_as_cancelled(
    reactor: Reactor, pause: float
) -> None:
    """Nothing counts it any more, so that the next page comes and the crawl ends."""
    with Site() as site:
        site.robots(stating(1))
        result = crawl(
            [site.url(f"/{number}") for number in range(3)],
            spider="tests.crawl.cancelling_spiders:CancelsQueued",
            spider_args={"pause": pause},
            settings=EXTENDED,
            reactor=reactor,
        )
        targets = site.targets()

    assert result.items == [{"ends": ["200", "CancelledError", "200"], "active": 0}]
    assert targets[-1] == "/2"
    # What the slot dropped before its pause began to count is sent, as by Scrapy.
    assert targets.count("/1") <= (pause == 0.0)
