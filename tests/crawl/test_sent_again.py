"""A robots.txt request that a middleware repeats has new limits and one credit."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from tests.support import replies
from tests.support.crawl import COMPONENTS, Reactor, crawl
from tests.support.replies import Reply
from tests.support.site import Site

LIMIT = 1_000
CHALLENGED: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.AnswerChallenge": 600},
    "ROBOTS1994_MAX_BYTES": LIMIT,
}
STAMPED: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.Stamp": 300},
    "CONCURRENT_REQUESTS": 3,
}
FIRST = b"User-agent: *\nDisallow: /first\n"
LAST = b"Disallow: /last\n"


def filled(size: int) -> bytes:
    """Return a file of *size* bytes whose last line disallows /last."""
    return FIRST + b"#" * (size - len(FIRST + LAST) - 1) + b"\n" + LAST


@pytest.mark.parametrize(
    ("challenge", "file", "opened"),
    [
        (replies.text(b"z" * (LIMIT - 100), 503), filled(LIMIT - 100), ["/open"]),
        (replies.text("wait a moment", 503), filled(100 * LIMIT), ["/last", "/open"]),
        (replies.text(b"z" * (2 * LIMIT), 503), filled(LIMIT - 100), ["/open"]),
        (
            replies.status(503, gzip.compress(b"wait"), **{"Content-Encoding": "gzip"}),
            FIRST,
            ["/last", "/open"],
        ),
    ],
    ids=["below the limit", "before a long file", "over the limit", "compressed"],
)
def test_challenge_changes_nothing_about_the_file_after_it(
    site: Site, challenge: Reply, file: bytes, opened: list[str]
) -> None:
    """O24: neither its size nor its content coding counts; a long file is truncated."""
    site.answer("/robots.txt", [challenge, replies.text(file)])
    urls = [site.url(path) for path in ("/first", "/last", "/open")]

    result = crawl(urls, settings=CHALLENGED)

    assert len(site.log("/robots.txt")) == 2
    assert result.fetched_urls == [site.url(path) for path in opened]
    assert ("ROBOTS1994_MAX_BYTES" in result.log) is (len(file) > LIMIT)


def test_replaced_request_has_one_concurrency_credit(
    site: Site, reactor: Reactor
) -> None:
    """After twelve replaced robots.txt requests, the total concurrency is 3 again."""
    site.robots(FIRST)
    result = crawl(
        [site.url("/", host=f"h{number}.test") for number in range(12)],
        settings=STAMPED,
        hook="note_concurrency",
        reactor=reactor,
    )

    assert len(result.fetched) == 12
    assert result.stats["test/concurrency"] == 3
