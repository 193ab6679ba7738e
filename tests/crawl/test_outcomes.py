"""The effect of each kind of robots.txt response on a real crawl (R1-R7)."""

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
# A setting since Scrapy 2.16, and a context factory before.
VERIFYING = (
    {"DOWNLOAD_VERIFY_CERTIFICATES": True}
    if hasattr(default_settings, "DOWNLOAD_VERIFY_CERTIFICATES")
    else {
        "DOWNLOADER_CLIENTCONTEXTFACTORY": "scrapy.core.downloader.contextfactory."
        "BrowserLikeContextFactory"
    }
)


def reasons(result: CrawlResult) -> set[str]:
    """Return the reasons for which requests were refused."""
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
def test_status_decides_unless_it_is_2xx(
    status: int, is_fetched: bool, reason: str | None
) -> None:
    """R1, R3, R4, R5: the body is used only with a 2xx."""
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
        "a byte at a time",
        "loop",
        "to file:",
        "to data:",
        "to an invalid URL",
        "undecoded",
        "gzip bomb",
        "unknown coding",
    ],
)
@pytest.mark.parametrize("reactor", reactors())
def test_origin_is_refused_while_its_robots_txt_cannot_be_fetched(
    reply: Reply, settings: dict[str, object], reactor: Reactor
) -> None:
    """R5: an unknown policy allows nothing; the crawl continues with other origins."""
    with Site(ports=2) as site:
        site.answer("/robots.txt", reply, at=f"127.0.0.1:{site.port}")
        pages = [site.url("/page"), site.url("/page", port=1)]
        result = crawl(pages, settings=settings, reactor=reactor)

    assert result.fetched_urls == [pages[1]]
    assert reasons(result) == {"unreachable"}
    assert result.stats["robots1994/outcome/unreachable"] == 1
    assert "Traceback" not in result.log


def test_unreachable_may_be_set_to_allow() -> None:
    """With ROBOTS1994_UNREACHABLE = "allow", an unknown policy allows everything."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(503))
        result = crawl(
            [site.url("/page")], settings={"ROBOTS1994_UNREACHABLE": "allow"}
        )

    assert result.fetched_urls == [site.url("/page")]


def test_forbidden_may_be_set_to_allow() -> None:
    """With ROBOTS1994_FORBIDDEN = "allow", a 403 means that there is no file."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(403))
        result = crawl([site.url("/page")], settings={"ROBOTS1994_FORBIDDEN": "allow"})

    assert result.fetched_urls == [site.url("/page")]


@pytest.mark.parametrize("reactor", reactors())
def test_endless_file_is_obeyed_up_to_the_limit(reactor: Reactor) -> None:
    """O24: the download stops at the limit, and the complete lines before it apply."""
    with Site() as site:
        endless = b"User-agent: *\nDisallow: /private\n#"
        site.answer("/robots.txt", replies.endless(endless))
        pages = [site.url("/private/1"), site.url("/page")]
        result = crawl(pages, reactor=reactor)

    assert result.fetched_urls == [pages[1]]
    assert result.stats["robots1994/truncated"] == 1
    assert result.stats["downloader/response_bytes"] < 3_000_000


def test_file_with_a_large_content_length_is_obeyed_up_to_the_limit() -> None:
    """O24: the download does not fail because of the Content-Length."""
    body = b"User-agent: *\nDisallow: /private\n" + b"# long\n" * 10_000
    with Site() as site:
        site.robots(body)
        pages = [site.url("/private/1"), site.url("/page")]
        result = crawl(pages, settings={"ROBOTS1994_MAX_BYTES": 1_000})

    assert result.fetched_urls == [pages[1]]
    assert result.stats["robots1994/truncated"] == 1


def test_compressed_file_is_obeyed_up_to_the_limit() -> None:
    """O24: the limit applies to decompressed bytes."""
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
def test_invalid_certificate_makes_the_origin_unreachable(
    reactor: Reactor,
) -> None:
    """If certificates are verified for pages, they are verified for robots.txt (R5)."""
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
def test_middleware_that_raises_or_answers_does_not_allow_the_page(part: str) -> None:
    """R7: the page fails with the exception; a Response from a middleware is obeyed."""
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
    """R2: the redirect is followed offsite, and its target is the policy of the origin."""
    with Site() as site:
        origin = f"127.0.0.1:{site.port}"
        target = site.url("/robots.txt", host="elsewhere.test")
        site.answer("/robots.txt", replies.redirect("/policy.txt"), at=origin)
        site.answer("/policy.txt", replies.redirect(target), at=origin)
        site.robots(CLOSED, at=f"elsewhere.test:{site.port}")
        result = crawl(
            [site.url("/page")],
            reactor=reactor,
            spider_args={"allowed_domains": ["127.0.0.1"]},
        )

    assert result.fetched == []
    assert reasons(result) == {"rule"}
    assert result.stats["robotstxt/request_count"] == 1


def test_redirect_target_is_requested_without_credentials() -> None:
    """R2: credentials are removed from the URL; an @ in its path stays."""
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
    """R2: after ROBOTS1994_MAX_REDIRECTS the origin is unreachable (R5)."""
    with Site() as site:
        site.answer("/robots.txt", replies.redirect("/1"))
        for number in range(1, 9):
            site.answer(f"/{number}", replies.redirect(f"/{number + 1}"))
        result = crawl([site.url("/page")], settings={"ROBOTS1994_MAX_REDIRECTS": 2})

        assert site.targets() == ["/robots.txt", "/1", "/2"]

    assert reasons(result) == {"unreachable"}
