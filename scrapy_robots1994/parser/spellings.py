"""Spellings: one form for all percent-encodings of a text, the two paths that a URL with
dot segments may mean, and absolute URLs as rules.
"""

import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.body import encode

_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
# No byte is this character, so nothing else is spelled like an encoded slash.
_SLASH_KEPT = "\u0100"
# An escape that is cut short: only a literal comparison finds what it begins.
_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
# An encoded `?` or `\`.
_ENCODED_END = re.compile("%(?:3f|5c)", re.IGNORECASE)
_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^/?\\]*)(.*)", re.DOTALL)

# What a client of the URL standard of browsers removes before all else.
_REMOVED = dict.fromkeys(map(ord, "\t\n\r"))

_DOTS = (".", "%2e", "%2E")
_CURRENT = frozenset(_DOTS)
_PARENT = frozenset(first + second for first in _DOTS for second in _DOTS)


def canonical(text: str) -> str:
    """Return the spelling that *text* shares with all its percent-encodings.

    Its characters stand for bytes; an escape that is not whole stays as it is.
    """
    if "%" not in text and text.isascii():
        return text
    # Ours O18: one resource, two spellings. `%2F` stays apart from `/`: it may be data
    # where the other is structure.
    return _SLASH_KEPT.join(map(_unquoted, _ENCODED_SLASH.split(text)))


def _unquoted(text: str) -> str:
    """Return the bytes of *text*, percent-decoded, each as one character."""
    # Ours O17: an undecodable byte of a rule compares as that byte.
    return unquote_to_bytes(encode(text)).decode("latin-1")


def has_cut_escape(text: str) -> bool:
    """Whether *text* ends within an escape: `/a%4` begins `/a%41` as it is written, and
    the canonical spelling of neither begins that of the other.
    """
    return "%" in text[-2:] and _CUT_ESCAPE.search(text) is not None


def without_dot_segments(target: str) -> str | None:
    r"""Return the *target* of a URL without dot segments, tabs and line ends; `None` if that
    is the target as written.

    A target is a path and a query. RFC 3986 5.2.4, with `%2e` as a dot and `\` as `/`; the
    query has no segments.
    """
    # `%2` begins an escaped dot; tabs and line ends are not printable. Most targets have
    # none of these, and no second spelling.
    if (
        not ("/." in target or "\\" in target or "%2" in target)
        and target.isprintable()
    ):
        return None
    # Ours O27: a path alone has segments; dots in a query are data.
    path, mark, query = target.translate(_REMOVED).partition("?")
    resolved: list[str] = []
    segments = path.replace("\\", "/").split("/")[1:]
    for segment in segments:
        if segment in _PARENT:
            del resolved[-1:]
        elif segment not in _CURRENT:
            resolved.append(segment)
    # RFC 3986 5.2.4: `/a/.` is `/a/`, and so is `/a/b/..`.
    if segments and segments[-1] in _PARENT | _CURRENT:
        resolved.append("")
    spelling = f"/{'/'.join(resolved)}{mark}{query}"
    return None if spelling == target else spelling


def is_absolute(value: str) -> bool:
    """Return whether the value of a rule is an absolute URL."""
    return _ABSOLUTE.match(value) is not None


def url_forms(url: str, spelling: Callable[[str], str]) -> list[str]:
    """Return the forms in which *url*, or a rule that is an absolute URL, is compared with other
    URLs, each in a *spelling*; none for any other text.
    """
    parts = _ABSOLUTE.match(url)
    if parts is None:
        return []
    beginning, rest = parts[1], parts[2]
    scheme, _, authority = beginning.partition("://")
    host = authority.rpartition("@")[2]
    # Decoded, an escape may end the host, and behind it case counts.
    escape = _ENCODED_END.search(host)
    end = escape.start() if escape else len(host)
    text = spelling(f"{scheme}://{host[:end]}".lower() + host[end:] + rest)
    # Ours O19: as written, but for the case of scheme and host; a rule without a path may be
    # the beginning of an authority.
    spelled = _ABSOLUTE.match(text)
    forms = [spelled[1] + _with_slash(spelled[2]) if spelled else text]
    # And with the origin normalised: without a path it is the whole origin. An escape in a
    # host is no part of a name that can be normalised. The sign in front keeps the two
    # forms apart, of which each is compared with its own kind.
    if "%" not in beginning and (origin := Origin.of(beginning)):
        forms.append(f"={origin}{spelling(_with_slash(rest) or '/')}")
    return forms


def _with_slash(rest: str) -> str:
    """Return what follows an authority as it is requested; empty if nothing does."""
    # `http://h?x` requests `/?x`, and behind an authority `\\` is a slash to Scrapy.
    if rest.startswith(("?", "\\")):
        return "/" + rest.removeprefix("\\")
    return rest
