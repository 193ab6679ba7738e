"""Untrusted text is made safe to print: it is escaped, and secrets are replaced."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from scrapy_robots1994.escaping import (
    escape_control_chars,
    one_line,
    percent_encode_control_chars,
    redact_and_escape,
    redact_secrets,
    redact_url,
    wrap_and_escape,
)

ESCAPES = [
    ("/a b~\u00e9\u4e16", "/a b~\u00e9\u4e16"),
    ("\x1b[2J", r"\x1b[2J"),
    ("a\r\nb\tc", r"a\x0d\x0ab\x09c"),
    ("\x00\x7f\x85\x9b", r"\x00\x7f\x85\x9b"),
    ("\u202e\u2066\u200f", r"\u202e\u2066\u200f"),
    ("\u2028\u2029", r"\u2028\u2029"),
    ("\ufeff\u200b\u00ad", r"\ufeff\u200b\xad"),
    ("\ud800", r"\ud800"),
    (b"caf\xe9".decode("utf-8", "surrogateescape"), r"caf\xe9"),
    ("\U000e0000\U000e0041\U000e007f", r"\U000e0000\U000e0041\U000e007f"),
    ("\u061c\u180e\u2060\u206f\ufff9\ufffb", r"\u061c\u180e\u2060\u206f\ufff9\ufffb"),
    ("\udc7f\udc80\udcff\udd00\udfff", r"\udc7f\x80\xff\udd00\udfff"),
    # Commands of CI systems are escaped, but not IPv6 addresses.
    ("::error::x ::add-mask::y", r"\x3a:error::x \x3a:add-mask::y"),
    ("http://[::1]/ ::1. ::ffff:1.2.3.4", "http://[::1]/ ::1. ::ffff:1.2.3.4"),
    ("::A/64 ::B, ::C; ::G", r"::A/64 ::B, ::C; \x3a:G"),
    ("##[a] ###b[ ## [", r"\x23#[a] #\x23#b[ ## ["),
    ("a" * 120, "a" * 120),
    ("a" * 121, "a" * 119 + "\u2026"),
]


@pytest.mark.parametrize(("text", "shown"), ESCAPES)
def test_ours_o25_unprintable_characters_are_escaped(text: str, shown: str) -> None:
    assert escape_control_chars(text) == shown


def test_secret_that_begins_another_leaves_nothing_of_it() -> None:
    """The longest secret is replaced first."""
    for secrets in ("ab", "abcd"), ("abcd", "ab"):
        assert redact_secrets("abcd, ab", secrets) == "***, ***"


def test_wrapped_line_has_room_for_escapes() -> None:
    assert wrap_and_escape("\x1bab \x1b::x", 4) == [r"\x1bab", r"\x1b::x"]


def redacted(text: str) -> str:
    return redact_secrets(text, ())


class InvalidURL(Exception):  # noqa: N818 - the name that httpx uses
    pass


class ResponseFailed(Exception):  # noqa: N818 - the name that Twisted uses
    reasons = (SimpleNamespace(value=OSError("a")), OSError("b"))


WRAPPED = OSError("in an exception of Scrapy")
WRAPPED.__cause__ = ResponseFailed()
SHOWN: list[tuple[Callable[[Any], str], Any, str]] = [
    (redacted, "x_PassPhrase: 'a b', user=me", "x_PassPhrase: ***, user=me"),
    (redacted, 'pwd="a b"&secret=c&d', "pwd=***&secret=***&d"),
    (redacted, "'api-key': 'a' apikey=b", "'api-key': *** apikey=***"),
    (redacted, "token = c my.auth:d", "token = *** my.auth:***"),
    (redacted, "/etc/passwd: /my-secret=x", "/etc/passwd: /my-secret=x"),
    (redacted, "http://me:a/b@h:80/@c password=d", "http://h:80/@c password=***"),
    (redacted, "http://me:1b/ c@h.test/", "http://h.test/"),
    (redacted, "http://[::1]/a@b http://h:80/a@b", "http://[::1]/a@b http://h:80/a@b"),
    (redact_and_escape, f"http://me:{'a' * 2_000}@h/", "http://\u2026"),
    (redact_and_escape, f"http://{'a' * 300}", f"http://{'a' * 300}"),
    (redact_url, "HTTP://me:a@b@h.test/x?y#z", "HTTP://h.test/x"),
    (redact_url, "x@h.test/y?z?", "h.test/y"),
    (redact_url, "redis://h/0?password=p@ss", "redis://"),
    (redact_url, "no.such.Store://h/x?y", "no.such.Store://h/x"),
    (one_line, OSError("a\n  \x1bb"), r"a \x1bb"),
    (one_line, OSError(), "OSError"),
    (one_line, WRAPPED, "a; b"),
    (one_line, OSError(b"X-\xe9"), "OSError: X-\u00e9"),
    (one_line, InvalidURL("port: 'hunter2'"), "InvalidURL"),
    # The results can be written in XML and in every encoding.
    (percent_encode_control_chars, "a \u00e9\x1f\x7f\udce9", "a \u00e9%1F%7F%E9"),
    (percent_encode_control_chars, "\ud800\ufffe\uffff", "%ED%A0%80%EF%BF%BE%EF%BF%BF"),
]


@pytest.mark.parametrize(("shown_by", "given", "shown"), SHOWN)
def test_secrets_and_control_characters_are_not_shown(
    shown_by: Callable[[Any], str], given: Any, shown: str
) -> None:
    assert shown_by(given) == shown
