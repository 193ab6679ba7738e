"""A robots.txt request that a middleware repeats has new limits and one credit."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from tests.support import replies
from tests.support.crawl import CrawlResult, Reactor, crawl, reactors
from tests.support.replies import Reply
from tests.support.site import Site

LIMIT = 1_000
CHALLENGED: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {"tests.crawl.parts.AnswerChallenge": 600},
    "ROBOTS1994_MAX_BYTES": LIMIT,
}
STAMPED: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {"tests.crawl.parts.Stamp": 300},
    "CONCURRENT_REQUESTS": 3,
}
FIRST = b"User-agent: *\nDisallow: /first\n"
LAST = b"Disallow: /last\n"


def filled(size: int) -> bytes:
    """Return a file of *size* bytes whose last line disallows /last."""
    return FIRST + b"#" * (size - len(FIRST + LAST) - 1) + b"\n" + LAST


def crawl_challenged(site: Site, challenge: Reply, file: bytes) -> CrawlResult:
    """Request /first, /last and /open; the first robots.txt response is *challenge*."""
    site.answer("/robots.txt", [challenge, replies.text(file)])
    urls = [site.url("/first"), site.url("/last"), site.url("/open")]
    result = crawl(urls, settings=CHALLENGED)
    assert len(site.log("/robots.txt")) == 2
    return result


def test_challenge_does_not_count_towards_the_size_limit(site: Site) -> None:
    """O24: each is below the limit, both together are not; the last line is obeyed."""
    challenge = replies.text(b"z" * (LIMIT - 100), status=503)
    result = crawl_challenged(site, challenge, filled(LIMIT - 100))

    assert result.fetched_urls == [site.url("/open")]
    assert "ROBOTS1994_MAX_BYTES" not in result.log


def test_long_file_after_a_challenge_is_truncated_and_used(
    site: Site,
) -> None:
    """O24: however large the declared length is, the download does not fail."""
    challenge = replies.text("wait a moment", status=503)
    result = crawl_challenged(site, challenge, filled(100 * LIMIT))

    assert result.fetched_urls == [site.url("/last"), site.url("/open")]
    assert "ROBOTS1994_MAX_BYTES" in result.log


def test_truncated_challenge_does_not_truncate_the_file(site: Site) -> None:
    """Only the challenge is longer than the limit."""
    challenge = replies.text(b"z" * (2 * LIMIT), status=503)
    result = crawl_challenged(site, challenge, filled(LIMIT - 100))

    assert result.fetched_urls == [site.url("/open")]
    assert "ROBOTS1994_MAX_BYTES" not in result.log


def test_content_coding_of_a_challenge_does_not_apply_to_the_file(site: Site) -> None:
    """The challenge is compressed and the file is not."""
    packed = gzip.compress(b"wait a moment")
    challenge = replies.status(503, packed, **{"Content-Encoding": "gzip"})
    result = crawl_challenged(site, challenge, FIRST)

    assert result.fetched_urls == [site.url("/last"), site.url("/open")]


@pytest.mark.parametrize("reactor", reactors())
def test_replaced_request_has_one_concurrency_credit(
    site: Site, reactor: Reactor
) -> None:
    """After twelve replaced robots.txt requests, the total concurrency is 3 again."""
    site.robots(FIRST)
    result = crawl(
        [site.url("/", host=f"h{number}.test") for number in range(12)],
        settings=STAMPED,
        hook="tests.crawl.parts:note_concurrency",
        reactor=reactor,
    )

    assert len(result.fetched) == 12
    assert result.stats["test/concurrency"] == 3
