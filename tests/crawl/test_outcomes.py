"""What a real crawl makes of each kind of answer to /robots.txt (R1-R6)."""

from __future__ import annotations

import gzip
import lzma
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import default_settings

from tests.support import replies
from tests.support.crawl import CrawlResult, Reactor, crawl, reactors
from tests.support.site import Site

if TYPE_CHECKING:
    from tests.support.replies import Reply

CLOSED = b"User-agent: *\nDisallow: /\n"
XZ = lzma.compress(CLOSED)
FAST = {"ROBOTS1994_TIMEOUT": 1.5}
# Scrapy 2.16 has a setting for it, before that it is a factory.
VERIFYING = (
    {"DOWNLOAD_VERIFY_CERTIFICATES": True}
    if hasattr(default_settings, "DOWNLOAD_VERIFY_CERTIFICATES")
    else {
        "DOWNLOADER_CLIENTCONTEXTFACTORY": "scrapy.core.downloader.contextfactory."
        "BrowserLikeContextFactory"
    }
)


def reasons(result: CrawlResult) -> set[str]:
    """Why requests were refused."""
    return {f.verdict["reason"] for f in result.failed if f.verdict}


@pytest.mark.parametrize(
    ("status", "is_fetched", "reason"),
    [
        (200, False, "rule"),
        (206, False, "rule"),
        (401, False, "forbidden"),
        (403, False, "forbidden"),
        (404, True, None),
        (410, True, None),
        (418, True, None),
        (429, False, "unreachable"),
        (300, False, "unreachable"),
        (304, False, "unreachable"),
        (500, False, "unreachable"),
        (503, False, "unreachable"),
    ],
)
def test_the_status_decides_whatever_the_body_says(
    status: int, is_fetched: bool, reason: str | None
) -> None:
    """R1, R3, R4, R5: the body counts only with a 2xx."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(status, CLOSED))
        result = crawl([site.url("/page")])

    assert bool(result.fetched) is is_fetched
    assert reasons(result) == ({reason} if reason else set())
    assert result.stats[f"robotstxt/response_status_count/{status}"] == 1


@pytest.mark.parametrize(
    ("reply", "settings"),
    [
        (replies.reset(), {}),
        (replies.reset(CLOSED, 10), {}),
        (replies.truncated(b"User-agent: *\n", 500), {}),
        (replies.hang_up(), {}),
        (replies.black_hole(), FAST),
        (replies.trickle(b"#" * 60, 1, 0.2), FAST),
        (replies.redirect("/robots.txt"), {}),
        (replies.redirect("file:///etc/passwd"), {}),
        (replies.redirect("data:text/plain,User-agent"), {}),
        (replies.redirect("http://[broken"), {}),
        (
            replies.status(200, b"not gzip", **{"Content-Encoding": "gzip"}),
            {"COMPRESSION_ENABLED": False},
        ),
        (replies.gzip_bomb(200_000_000), {}),
        (replies.status(200, XZ, **{"Content-Encoding": "xz"}), {}),
    ],
    ids=[
        "reset",
        "reset in the middle",
        "truncated",
        "hang-up",
        "black hole",
        "a byte a time",
        "loop",
        "to file:",
        "to data:",
        "to nonsense",
        "undecoded",
        "gzip bomb",
        "unknown coding",
    ],
)
@pytest.mark.parametrize("reactor", reactors())
def test_robots_txt_that_cannot_be_fetched_closes_the_site_for_now(
    reply: Reply, settings: dict[str, object], reactor: Reactor
) -> None:
    """R5: nothing known is not "allowed"; the crawl goes on with other origins."""
    with Site(ports=2) as site:
        site.answer("/robots.txt", reply, at=f"127.0.0.1:{site.port}")
        pages = [site.url("/page"), site.url("/page", port=1)]
        result = crawl(pages, settings=settings, reactor=reactor)

    assert result.fetched_urls == [pages[1]]
    assert reasons(result) == {"unreachable"}
    assert result.stats["robots1994/outcome/unreachable"] == 1
    assert "Traceback" not in result.log


def test_unreachable_may_be_set_to_allow() -> None:
    """ROBOTS1994_UNREACHABLE = "allow" lets pages through while nothing is known."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(503))
        result = crawl(
            [site.url("/page")], settings={"ROBOTS1994_UNREACHABLE": "allow"}
        )

    assert result.fetched_urls == [site.url("/page")]


def test_forbidden_may_be_set_to_allow() -> None:
    """ROBOTS1994_FORBIDDEN = "allow" reads 401 and 403 as "no file"."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(403))
        result = crawl([site.url("/page")], settings={"ROBOTS1994_FORBIDDEN": "allow"})

    assert result.fetched_urls == [site.url("/page")]


@pytest.mark.parametrize("reactor", reactors())
def test_an_endless_file_is_obeyed_up_to_its_limit(reactor: Reactor) -> None:
    """O24: the download stops at the limit, and the whole lines before it hold."""
    with Site() as site:
        endless = b"User-agent: *\nDisallow: /private\n#"
        site.answer("/robots.txt", replies.endless(endless))
        pages = [site.url("/private/1"), site.url("/page")]
        result = crawl(pages, reactor=reactor)

    assert result.fetched_urls == [pages[1]]
    assert result.stats["robots1994/truncated"] == 1
    assert result.stats["downloader/response_bytes"] < 3_000_000


def test_a_file_announced_too_long_is_obeyed_up_to_its_limit() -> None:
    """O24 also where Content-Length says that the file is longer."""
    body = b"User-agent: *\nDisallow: /private\n" + b"# long\n" * 10_000
    with Site() as site:
        site.robots(body)
        pages = [site.url("/private/1"), site.url("/page")]
        result = crawl(pages, settings={"ROBOTS1994_MAX_BYTES": 1_000})

    assert result.fetched_urls == [pages[1]]
    assert result.stats["robots1994/truncated"] == 1


def test_a_packed_file_that_unpacks_past_the_limit_is_obeyed_up_to_it() -> None:
    """O24: the limit counts unpacked bytes; a modest unpacking is no bomb."""
    body = b"User-agent: *\nDisallow: /private\n"
    body += b"".join(b"Disallow: /p%05d\n" % number for number in range(20_000))
    packed = gzip.compress(body)
    with Site() as site:
        reply = replies.status(200, packed, **{"Content-Encoding": "gzip"})
        site.answer("/robots.txt", reply)
        pages = [site.url("/private/1"), site.url("/p19999")]
        result = crawl(pages, settings={"ROBOTS1994_MAX_BYTES": len(packed) + 1_000})

    assert result.fetched_urls == [pages[1]]
    assert result.stats["robots1994/truncated"] == 1


@pytest.mark.parametrize("reactor", reactors())
def test_a_bad_certificate_is_as_the_pages_of_the_crawl_see_it(
    reactor: Reactor,
) -> None:
    """With verification on, TLS that fails for pages fails for robots.txt (R5)."""
    with Site(tls="expired") as site:
        url = site.secure_url("/page")
        result = crawl([url], settings=VERIFYING, reactor=reactor)

    assert result.fetched == []
    assert reasons(result) == {"unreachable"}
    assert "Traceback" not in result.log


def test_tls_to_a_plain_port_is_unreachable() -> None:
    """R5: a TLS failure says nothing about the policy."""
    with Site() as site:
        url = site.url("/page").replace("http:", "https:")
        result = crawl([url], settings={"ROBOTS1994_TIMEOUT": 2})

    assert result.fetched == []
    assert reasons(result) == {"unreachable"}


@pytest.mark.parametrize(
    "part", ["tests.crawl.parts.BreakRobots", "tests.crawl.parts.AnswerRobots"]
)
def test_a_middleware_in_between_never_opens_the_site(part: str) -> None:
    """R7: an exception in any middleware; and a Response from one is the answer."""
    with Site() as site:
        result = crawl(
            [site.url("/page")], settings={"DOWNLOADER_MIDDLEWARES": {part: 850}}
        )

        assert site.targets() == []

    assert result.fetched == []
    assert len(result.failed) == 1
    assert "\x1b[31mmine" not in result.log


@pytest.mark.parametrize("reactor", reactors())
def test_redirect_to_another_host_gives_the_policy_of_the_origin(
    reactor: Reactor,
) -> None:
    """R2: followed though offsite; the policy is that of the origin asked."""
    with Site() as site:
        asked = f"127.0.0.1:{site.port}"
        target = site.url("/robots.txt", host="elsewhere.test")
        site.answer("/robots.txt", replies.redirect("/policy.txt"), at=asked)
        site.answer("/policy.txt", replies.redirect(target), at=asked)
        site.robots(CLOSED, at=f"elsewhere.test:{site.port}")
        result = crawl(
            [site.url("/page")],
            reactor=reactor,
            spider_args={"allowed_domains": ["127.0.0.1"]},
        )

    assert result.fetched == []
    assert reasons(result) == {"rule"}
    assert result.stats["robotstxt/request_count"] == 1


def test_a_redirect_is_followed_to_where_it_says() -> None:
    """R2: user and password are left out of a URL; an @ of its path is not theirs."""
    with Site() as site:
        host = f"127.0.0.1:{site.port}"
        target = f"http://me:secret@{host}/cdn//team@7/robots.txt?for=us@home"
        site.answer("/robots.txt", replies.redirect(target))
        site.answer(
            "/cdn//team@7/robots.txt", replies.text("User-agent: *\nDisallow: /")
        )
        result = crawl([site.url("/page")])
        hops = site.log()

    assert [hop.target for hop in hops][1:] == ["/cdn//team@7/robots.txt?for=us@home"]
    assert "authorization" not in hops[1].headers
    assert reasons(result) == {"rule"}


def test_redirects_past_the_limit_are_not_followed() -> None:
    """R2: at most ROBOTS1994_MAX_REDIRECTS, then as R5."""
    with Site() as site:
        site.answer("/robots.txt", replies.redirect("/1"))
        for number in range(1, 9):
            site.answer(f"/{number}", replies.redirect(f"/{number + 1}"))
        result = crawl([site.url("/page")], settings={"ROBOTS1994_MAX_REDIRECTS": 2})

        assert site.targets() == ["/robots.txt", "/1", "/2"]

    assert reasons(result) == {"unreachable"}
