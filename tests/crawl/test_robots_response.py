"""Freshness, Retry-After and content codings, as robots.txt responses send them."""

from __future__ import annotations

import pytest
from scrapy.http import Response

from scrapy_robots1994.crawl import robots_response as responses
from scrapy_robots1994.crawl.fetcher import _validator

NOW = 784_111_777.0
"""Sun, 06 Nov 1994 08:49:37 GMT, the date of the HTTP standard's examples."""
THEN = "Sun, 06 Nov 1994 08:49:37 GMT"
LATER = "Sun, 06 Nov 1994 08:59:37 GMT"


def response(**sent: str) -> Response:
    """Return a response with these headers, `_` for `-`."""
    names = {name.replace("_", "-"): value for name, value in sent.items()}
    return Response("http://x.test/robots.txt", headers=names)


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ({}, None),
        ({"Cache_Control": "max-age=600"}, 600),
        ({"Cache_Control": "public, MAX-AGE=600"}, 600),
        ({"Cache_Control": "max-age=soon"}, 0),
        ({"Cache_Control": "max-age"}, 0),
        ({"Cache_Control": "max-age=" + "9" * 5_000}, 1e18),
        ({"Cache_Control": "no-store, max-age=600"}, 0),
        ({"Cache_Control": "no-cache"}, 0),
        ({"Expires": LATER, "Date": THEN}, 600),
        ({"Expires": LATER}, 600),
        ({"Expires": LATER, "Date": "yesterday"}, 600),
        ({"Expires": THEN, "Date": LATER}, 0),
        ({"Expires": "0"}, 0),
        ({"Expires": LATER, "Cache_Control": "max-age=5"}, 5),
        ({"Cache_Control": "max-age=600", "Age": "500"}, 100),
        ({"Cache_Control": "max-age=600", "Age": "601"}, 0),
        ({"Cache_Control": "max-age=600", "Age": "-5"}, 600),
        ({"Cache_Control": "max-age=600", "Age": "old"}, 600),
        ({"Expires": LATER, "Date": THEN, "Age": "500"}, 100),
        ({"Age": "500"}, None),
    ],
)
def test_freshness_lifetime(sent: dict[str, str], seconds: float | None) -> None:
    """Cache-Control takes precedence over Expires; invalid values are stale at once."""
    assert responses.freshness_lifetime(response(**sent), NOW) == seconds


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("120", 120),
        (" 120 ", 120),
        (LATER, 600),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("tomorrow", None),
        ("-5", None),
        ("9" * 5_000, 1e18),
    ],
)
def test_retry_after_is_a_number_or_a_date(
    value: str | None, seconds: float | None
) -> None:
    """A date in the past means no pause; an invalid value is ignored."""
    sent = {} if value is None else {"Retry_After": value}

    assert responses.retry_after(response(**sent), NOW) == seconds


@pytest.mark.parametrize("ahead", [-86_400, -600, 600, 86_400])
def test_date_in_retry_after_is_relative_to_the_date_header(ahead: int) -> None:
    """As for Expires: a wrong clock of the server does not change the pause."""
    sent = {"Date": THEN, "Retry_After": LATER}

    assert responses.retry_after(response(**sent), NOW - ahead) == 600


@pytest.mark.parametrize(
    ("coding", "expected"),
    [
        ("gzip", "gzip"),
        ("identity, BR", "br"),
        ("zstd", "zstd"),
        ("utf-8", None),
        ("identity", None),
        ("", None),
    ],
)
def test_only_a_real_coding_is_undecoded(coding: str, expected: str | None) -> None:
    """`Content-Encoding: utf-8`, which some servers send, is not a coding."""
    assert responses.hidden_by(response(Content_Encoding=coding)) == expected


@pytest.mark.parametrize("coding", ["xz", "dcb", "utf-8"])
def test_compressed_bytes_are_undecoded_whatever_the_coding_is_called(
    coding: str,
) -> None:
    """Read as text without rules, they would allow everything."""
    packed = response(Content_Encoding=coding).replace(body=b"\xfd7zXZ\x00\x00")

    assert responses.hidden_by(packed) == coding


@pytest.mark.parametrize("sent", ["gzip;q=1", '"gzip"', "gzip, identity", " GZIP ,"])
def test_coding_is_recognized_in_any_notation(sent: str) -> None:
    """It may have parameters, be quoted, or be listed next to `identity`."""
    assert responses.codings_of(response(Content_Encoding=sent)) == ("gzip",)


def test_transfer_codings_come_after_content_codings() -> None:
    """Transfer codings that the client has not decoded are the outermost."""
    sent = response(Content_Encoding="br", Transfer_Encoding="gzip, chunked")

    assert responses.codings_of(sent) == ("br", "gzip")


def test_response_without_coding_is_decoded() -> None:
    """A response without Content-Encoding is plain text."""
    assert responses.hidden_by(response()) is None


def test_any_byte_of_a_validator_is_preserved() -> None:
    """Validators are sent back to the server unchanged."""
    sent = Response("http://x.test/", headers={"ETag": b'"\xff"'})

    assert _validator(sent, "ETag") == '"\xff"'
    assert _validator(sent, "Last-Modified") is None


@pytest.mark.parametrize("value", [b"", b'"\x1b[31m"', b'"\x80"', b"x" * 1_001])
def test_unusable_validator_is_ignored(value: bytes) -> None:
    """It is empty or too long, or has characters that no client can send."""
    assert (
        _validator(Response("http://x.test/", headers={"ETag": value}), "ETag") is None
    )


@pytest.mark.parametrize("name", ["Expires", "Date", "Retry_After"])
@pytest.mark.parametrize(
    "date",
    [f"Sun, 06 Nov 1994 {'9' * 4_000}:00:00 GMT", f"{THEN[:-3]}-{'9' * 4_000}"],
)
def test_date_with_many_digits_is_not_an_error(name: str, date: str) -> None:
    """Scrapy 2.13 accepts hours and zones of any length."""
    sent = response(**{"Expires": LATER, "Retry_After": LATER, name: date})

    assert responses.freshness_lifetime(sent, NOW) is not None
    assert (responses.retry_after(sent, NOW) or 0.0) >= 0.0
