"""The middleware as a component: large files, subclasses, and what a request awaits."""

from __future__ import annotations

from tests.support.crawl import COMPONENTS, Reactor, crawl
from tests.support.site import Site

BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
FIRST = b"User-agent: *\nDisallow: /first\n"
MANY = b"".join(b"Disallow: /%d/\n" % number for number in range(25_000))


def test_request_with_a_known_policy_awaits_nothing(
    site: Site, reactor: Reactor
) -> None:
    """A subclass that awaits `super().process_request()` works, and is not held up."""
    site.robots(FIRST)
    ours = {BUILT_IN: None, f"{COMPONENTS}.CountingMiddleware": 100}

    result = crawl(
        [site.url("/1"), site.url("/first"), site.url("/last")],
        middleware="builtin",
        settings={
            "DOWNLOADER_MIDDLEWARES": ours,
            "CONCURRENT_REQUESTS": 1,
            "ROBOTS1994_MAX_WAITING": 0,
        },
        reactor=reactor,
    )

    assert result.fetched_urls == [site.url("/1"), site.url("/last")]
    assert result.stats["test/waits"] == 0


def test_large_file_is_obeyed_to_its_last_line(site: Site, reactor: Reactor) -> None:
    """Its rules are compiled while other origins go on, by each judge."""
    site.robots(FIRST + MANY, at="large.test")
    site.robots(FIRST, at="small.test")
    paths = ("/first", "/24999/x", "/25000/x")
    urls = [
        site.url(path, host=f"{size}.test")
        for size in ("large", "small")
        for path in paths
    ]

    result = crawl(urls, reactor=reactor)

    assert result.failed_urls == sorted([*urls[:2], urls[3]])
    lines = {
        failed.url: failed.verdict and failed.verdict["line"]
        for failed in result.failed
    }
    assert lines == {urls[0]: 2, urls[1]: 25_002, urls[3]: 2}


def test_few_origins_in_memory_cost_fetches_and_no_page(site: Site) -> None:
    """With room for one policy, each change of the origin is one more fetch."""
    site.robots(FIRST)
    urls = [site.url(f"/{n}", host=f"h{n % 2}.test") for n in range(6)]

    result = crawl(
        [*urls, *(site.url("/first", host=f"h{n}.test") for n in range(2))],
        settings={
            "ROBOTS1994_STORE": "memory://?max_origins=1",
            "CONCURRENT_REQUESTS": 1,
            "ROBOTS1994_MAX_WAITING": 0,
        },
    )

    assert result.fetched_urls == sorted(urls)
    assert len(result.failed) == 2
    assert len(site.log("/robots.txt")) >= 6
