"""The origins of URLs, and the targets that rules are compared with."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import Origin
from tests.standard.asking import DIALECTS, ask, disallowing

ORIGINS = [
    ("http://x", "http://x"),
    ("https://x", "https://x"),
    ("https://x:80", "https://x:80"),
    ("HTTP://X:80/", "http://x"),
    ("http://x./a", "http://x"),
    ("http://u:p@x/a?b#c", "http://x"),
    ("http://u@v@x", "http://x"),
    ("https://x:443", "https://x"),
    ("https://x:8443?a", "https://x:8443"),
    ("http://x:", "http://x"),
    ("http://x:0080", "http://x"),
    ("http://x:443", "http://x:443"),
    ("http://x:65535", "http://x:65535"),
    ("http://[::1]:8080/a", "http://[::1]:8080"),
    ("http://[0:0::1]", "http://[::1]"),
    ("http://[V1.x]", "http://v1.x"),
    ("http://m\u00fcller.example", "http://xn--mller-kva.example"),
    ("http://m\u00fcller.example\u3002/", "http://xn--mller-kva.example"),
    ("http://" + "\u00fc" * 70, "http://" + "\u00fc" * 70),
    (" http://x", "http://x"),
    ("ws://x/chat", "http://x"),
    ("WS://u@x:80", "http://x"),
    ("ws://x:443", "http://x:443"),
    ("wss://x:443/chat", "https://x"),
    ("Wss://x:80", "https://x:80"),
    (b"http://m\xc3\xbcller.test/\xff", "http://xn--mller-kva.test"),
]


@pytest.mark.parametrize(("url", "expected"), ORIGINS)
def test_origin_is_scheme_host_and_port(url: str | bytes, expected: str) -> None:
    """1994 M1. Case, a default port, a trailing dot and user info do not matter."""
    origin = Origin.of(url)

    assert origin is not None
    assert str(origin) == expected
    assert origin.robots_url == f"{expected}/robots.txt"


NONE = [
    *("", "/x", "x", "ftp://x/", "http:///x", "http://:80", "http://.", "http://x:y"),
    *("http://x:65536", "http://x:1234567890", "http://[::1", "http://a:b:c"),
    *("mailto:a@x", b"\xff", "ws:///x", "wsss://x", "wss:x", "http\u017f://x"),
    # Clients disagree about these hosts: IDNA, for example, turns some characters into delimiters.
    *(f"http://a{sign}b/" for sign in "\\\0\t\x7f\x85\uff0f\uff20\uff3c\u2100"),
    *("http://a\\", "https://a\\@b/", "https://u\x1f@b/", "https://a\uff1a8/"),
]


@pytest.mark.parametrize("url", NONE)
def test_url_without_http_or_host_has_no_origin(url: str | bytes) -> None:
    assert Origin.of(url) is None


TARGETS = {
    "/": ("http://x", "http://x#f", ""),
    "/a": ("a", "ftp://x/a", "http://x\\a", " http://x:80/a", "/a#/b#c"),
    "/a?b": ("http://x/a?b", "/a?b#c"),
    "/?a": ("?a",),
    "/\\a": ("\\a",),
    "/?b/c": ("http://x?b/c",),
    "//x/a": ("//x/a",),
    "/q/a": ("http://x\\q/a",),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_ours_o26_rules_are_compared_with_path_and_query(
    target: str, dialect: str
) -> None:
    for url in TARGETS[target]:
        assert not ask(disallowing(target), url, dialect=dialect)
        assert ask(disallowing(f"{target}~"), url, dialect=dialect)
