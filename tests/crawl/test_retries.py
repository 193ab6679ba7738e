"""Failed fetches of robots.txt in real crawls: retries, and local faults."""

from __future__ import annotations

from pathlib import Path

from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl
from tests.support.site import Site

PAGES = 12
FILE = "User-agent: *\nDisallow: /private\n"
RETRIED = {"RETRY_ENABLED": True}
SECRET = "hunter2-of-the-test"  # noqa: S105 (the tests check that it does not leak)


def pages(site: Site, count: int = PAGES) -> list[str]:
    """Return permitted URLs of one origin."""
    return [site.url(f"/page/{number}") for number in range(count)]


def test_no_retries_if_those_of_scrapy_are_disabled(site: Site) -> None:
    """With RETRY_ENABLED = False, there is one fetch."""
    site.answer("/robots.txt", [replies.status(503), replies.text(FILE)])

    result = crawl(pages(site), settings={"RETRY_ENABLED": False})

    assert result.fetched == []
    assert len(site.log("/robots.txt")) == 1


def test_ours_r7_dead_proxy_is_not_a_failure_of_the_origin(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    """Each page fails with its own error; its password is not logged, and nothing stored."""
    site.robots(FILE)
    url = site.refused_url("").rstrip("/")
    proxy = {"proxy": url.replace("//", f"//user:{SECRET}@")}
    settings = RETRIED | {
        "ROBOTS1994_STORE": f"sqlite:///{tmp_path / 'robots.db'}",
        "RETRY_TIMES": 1,
    }

    failing = crawl(
        [CrawlRequest(url, meta=proxy) for url in pages(site)],
        settings=settings,
        reactor=reactor,
    )
    healthy = crawl(pages(site), settings=settings, reactor=reactor)

    assert failing.fetched == []
    assert len(failing.failed) == PAGES
    assert all(failed.verdict is None for failed in failing.failed)
    assert all("Refused" in failed.name for failed in failing.failed)
    assert failing.stats["robots1994/local_faults"] >= 1
    assert not [it for it in failing.stats if it.startswith("robots1994/outcome/")]
    assert SECRET not in failing.log + str(failing.stats) + str(failing.failed)
    assert healthy.fetched_urls == sorted(pages(site))


def test_retries_leave_through_the_proxies_of_the_requests_that_wait(
    site: Site, reactor: Reactor
) -> None:
    """Ours 3.1: a dead proxy of the first request costs no page of another proxy."""
    site.robots(FILE)
    dead, alive = (url.rstrip("/") for url in (site.refused_url(""), site.url("")))
    urls = [f"http://far.example/{number}" for number in range(4)]
    first, *others = (
        CrawlRequest(url, {"proxy": alive if number else dead}, priority=-number)
        for number, url in enumerate(urls)
    )

    result = crawl([first, *others], settings=RETRIED, reactor=reactor)

    assert result.fetched_urls == urls[1:]
    assert result.failed_urls == urls[:1]
    assert result.stats["robots1994/retries"] == 1
    assert all(seen.proxied for seen in site.log())


def test_ours_r5_half_a_file_is_unreachable_whatever_pages_may_lose(site: Site) -> None:
    """`DOWNLOAD_FAIL_ON_DATALOSS = False` is for pages: half a policy may be an open site."""
    site.answer("/robots.txt", replies.truncated(b"User-agent: *\nDisallow:\n", 500))
    site.answer("/page", replies.truncated(b"half a page", 500))

    result = crawl(
        [
            site.url("/page"),
            CrawlRequest(site.url("/page"), {"dont_obey_robotstxt": True}),
        ],
        settings={"DOWNLOAD_FAIL_ON_DATALOSS": False},
    )

    assert len(result.fetched) == 1
    (failed,) = result.failed
    assert failed.verdict is not None
    assert failed.verdict["reason"] == "unreachable"
