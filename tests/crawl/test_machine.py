"""A machine, a network or proxies that make fetches fail: no permitted page is lost."""

from __future__ import annotations

from tests.support import replies
from tests.support.crawl import Reactor, crawl
from tests.support.replies import Reply
from tests.support.site import Site

ORIGINS = 60
FILE = "User-agent: *\nDisallow: /private\n"
RETRIED = {"RETRY_ENABLED": True}


def pages(site: Site) -> list[str]:
    """Return a permitted URL of each origin."""
    return [site.url("/page", host=f"h{number}.test") for number in range(ORIGINS)]


def test_slow_name_lookups_lose_no_page(site: Site, reactor: Reactor) -> None:
    """Those that wait in the queue of the resolver take longer than three fetches may."""
    site.robots(FILE)
    settings = {"REACTOR_THREADPOOL_MAXSIZE": 2, "ROBOTS1994_TIMEOUT": 1}
    wanted = pages(site)

    result = crawl(
        wanted, settings=RETRIED | settings, reactor=reactor, hook="slow_names"
    )

    assert result.fetched_urls == sorted(wanted)


def test_few_descriptors_lose_no_page(site: Site, reactor: Reactor) -> None:
    """All fetches at once would need more descriptors than the limit."""
    file = replies.Reply(body=FILE.encode(), delay=0.3, ending="close")
    site.answer("/robots.txt", file)
    site.answer("/page", replies.Reply(body=b"page", ending="close"))

    result = crawl(
        pages(site),
        settings=RETRIED | {"TEST_DESCRIPTORS": 64},
        reactor=reactor,
        hook="few_descriptors",
    )

    assert result.fetched_urls == sorted(pages(site))
    assert "robots1994/outcome/unreachable" not in result.stats


def test_origins_that_fail_once_or_answer_late_lose_no_page(
    site: Site, reactor: Reactor
) -> None:
    """Those that always fail get no request for a page at all."""
    sound = replies.text(FILE)
    bad = [replies.status(503), replies.reset(), replies.status(429, Retry_After="0")]
    late = replies.Reply(body=FILE.encode(), delay=0.3)
    answers: list[Reply | list[Reply]] = [
        *([each, sound] for each in bad),
        *([each] for each in bad),
        late,
        sound,
    ]
    hosts = [f"h{number}.test" for number in range(5 * len(answers))]
    for number, host in enumerate(hosts):
        site.answer("/robots.txt", answers[number % len(answers)], at=host)
    urls = [
        site.url(f"{path}/{page}", host=host)
        for page in range(4)
        for host in hosts
        for path in ("/page", "/private")
    ]

    result = crawl(urls, settings=RETRIED, reactor=reactor)

    dead = {host for at, host in enumerate(hosts) if at % len(answers) in (3, 4, 5)}
    permitted = [
        url
        for url in urls
        if "/page/" in url and url.split("/")[2].partition(":")[0] not in dead
    ]
    assert result.fetched_urls == sorted(permitted)
    assert not [seen for seen in site.log() if seen.target.startswith("/private")]
