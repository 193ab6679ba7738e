"""Untrusted text is made safe to print: it is escaped, and secrets are replaced."""

from __future__ import annotations

import pytest

from scrapy_robots1994.escaping import escape_control_chars, redact_secrets

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
    ("\U000e0041", r"\U000e0041"),
    # Commands of CI systems are escaped, but not IPv6 addresses.
    ("::error::x ::add-mask::y", r"\x3a:error::x \x3a:add-mask::y"),
    ("http://[::1]/ ::1. ::ffff:1.2.3.4", "http://[::1]/ ::1. ::ffff:1.2.3.4"),
]


@pytest.mark.parametrize(("text", "shown"), ESCAPES)
def test_ours_o25_unprintable_characters_are_escaped(text: str, shown: str) -> None:
    assert escape_control_chars(text) == shown


def test_secret_that_begins_another_leaves_nothing_of_it() -> None:
    """The longest secret is replaced first."""
    for secrets in ("ab", "abcd"), ("abcd", "ab"):
        assert redact_secrets("abcd, ab", secrets) == "***, ***"
