"""Tests of very long headers in the answer to a robots.txt request."""

from __future__ import annotations

from tests.support.crawl import crawl
from tests.support.left_out import table
from tests.support.replies import Reply
from tests.support.site import Site

FILE = b"User-agent: *\nDisallow: /closed\n"
LONG = "," * 5_000


@table(
    ("header", "value"),
    ("Cache-Control", f"max-age=600{LONG}max-age=900"),
    ("Content-Encoding", f"identity{LONG}"),
    ("ETag", f'"{"x" * 5_000}"'),
    ("Date", "x" * 5_000),
    ("Age", "9" * 5_000),
    short=2,
)
def test_rest_of_a_long_header_is_ignored(site: Site, header: str, value: str) -> None:
    """If a header of the answer is too long, the robots.txt is still obeyed, and the rest
    of the header is ignored.

    If the header is a list, the members before the length limit still count.
    """
    site.answer("/robots.txt", Reply(200, FILE, ((header, value),)))
    result = crawl([site.url("/open"), site.url("/closed")])

    assert result.fetched_urls == [site.url("/open")]
    assert result.reasons == ["rule"]
    is_limited = header == "Cache-Control"
    assert f"fresh for {600 if is_limited else 86_400} s" in result.log
