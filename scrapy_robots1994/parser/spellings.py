"""Spellings of paths and URLs: one form for all percent-encodings of a text, a target without
dot segments, and absolute URLs as rules.
"""

import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.body import encode

_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
# The spelling of an encoded slash. This character is not the spelling of any byte.
_SLASH_KEPT = "\u0100"
# An incomplete escape at the end of a text.
_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
# An encoded `?` or `\`.
_ENCODED_END = re.compile("%(?:3f|5c)", re.IGNORECASE)
_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^/?\\]*)(.*)", re.DOTALL)

# A client that follows the URL standard of browsers first removes these characters.
_REMOVED = dict.fromkeys(map(ord, "\t\n\r"))

_DOTS = (".", "%2e", "%2E")
_CURRENT = frozenset(_DOTS)
_PARENT = frozenset(first + second for first in _DOTS for second in _DOTS)


def canonical(text: str) -> str:
    """Return the spelling that *text* shares with all its percent-encodings. Never raises.

    Each character of the spelling is one byte of the decoded text. An incomplete escape stays
    as it is.
    """
    if "%" not in text and text.isascii():
        return text
    # Ours O18 (percent-encodings): two spellings of one resource compare equal. `%2F` and `/`
    # stay different, because an encoded slash may be data and not a separator.
    return _SLASH_KEPT.join(map(_unquoted, _ENCODED_SLASH.split(text)))


def _unquoted(text: str) -> str:
    """Return the bytes of *text*, percent-decoded, each as one character."""
    # Ours O17 (undecodable bytes): such a byte of a rule equals its percent-encoding.
    return unquote_to_bytes(encode(text)).decode("latin-1")


def has_cut_escape(text: str) -> bool:
    """Return whether *text* ends within an escape.

    Such a text needs a comparison as written: `/a%4` begins `/a%41`, but the canonical spelling of
    `/a%4` does not begin the canonical spelling of `/a%41`.
    """
    return "%" in text[-2:] and _CUT_ESCAPE.search(text) is not None


def without_dot_segments(target: str) -> str | None:
    r"""Return the *target* of a URL without dot segments, tabs and line ends; None if *target*
    has none of these.

    A target is a path and a query. Dot segments are removed from the path as RFC 3986 5.2.4
    says, with `%2e` read as a dot and `\` as `/`.
    """
    # `%2` begins an escaped dot; tabs and line ends are not printable. Most targets have
    # none of these characters, and so no second spelling.
    if (
        not ("/." in target or "\\" in target or "%2" in target)
        and target.isprintable()
    ):
        return None
    # Ours O27 (spellings): only a path has segments; dots in a query are data.
    path, mark, query = target.translate(_REMOVED).partition("?")
    resolved: list[str] = []
    segments = path.replace("\\", "/").split("/")[1:]
    for segment in segments:
        if segment in _PARENT:
            del resolved[-1:]
        elif segment not in _CURRENT:
            resolved.append(segment)
    # RFC 3986 5.2.4: `/a/.` becomes `/a/`, and `/a/b/..` becomes `/a/`.
    if segments and segments[-1] in _PARENT | _CURRENT:
        resolved.append("")
    spelling = f"/{'/'.join(resolved)}{mark}{query}"
    return None if spelling == target else spelling


def is_absolute(value: str) -> bool:
    """Return whether the value of a rule is an absolute URL."""
    return _ABSOLUTE.match(value) is not None


def url_forms(url: str, spelling: Callable[[str], str]) -> list[str]:
    """Return the forms in which an absolute URL is compared, each in a *spelling*.

    *url* is a URL or the value of a rule. Returns an empty list if it is not an absolute URL.
    """
    parts = _ABSOLUTE.match(url)
    if parts is None:
        return []
    beginning, rest = parts[1], parts[2]
    scheme, _, authority = beginning.partition("://")
    host = authority.rpartition("@")[2]
    # An escaped `?` or `\` may end the host once it is decoded, and case counts behind the host.
    escape = _ENCODED_END.search(host)
    end = escape.start() if escape else len(host)
    text = spelling(f"{scheme}://{host[:end]}".lower() + host[end:] + rest)
    # Ours O19 (whole URLs): the first form is the URL as written, except that scheme and host are
    # in lower case. In this form, a rule without a path may be the beginning of an authority.
    spelled = _ABSOLUTE.match(text)
    forms = [spelled[1] + _with_slash(spelled[2]) if spelled else text]
    # The second form has a normalised origin; a rule without a path covers the whole origin. A host
    # with an escape cannot be normalised. The `=` in front keeps the two forms apart, because a
    # form is compared only with forms of the same kind.
    if "%" not in beginning and (origin := Origin.of(beginning)):
        forms.append(f"={origin}{spelling(_with_slash(rest) or '/')}")
    return forms


def _with_slash(rest: str) -> str:
    """Return *rest*, the text behind an authority, with the slash that a client puts before the
    text; "" for an empty *rest*.
    """
    # A client requests `/?x` for `http://h?x`, and Scrapy reads `\` behind an authority as `/`.
    if rest.startswith(("?", "\\")):
        return "/" + rest.removeprefix("\\")
    return rest
