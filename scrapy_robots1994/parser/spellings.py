"""Spellings: one form for all percent-encodings of a text, the two paths that a URL with
dot segments may mean, and absolute URLs as rules.
"""

import re
from urllib.parse import unquote_to_bytes

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.body import encode

_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
# No byte is this character, so nothing else is spelled like an encoded slash.
_SLASH_KEPT = "\u0100"
# An escape that is cut short: only a literal comparison finds what it begins.
_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^/?\\]*)(.*)", re.DOTALL)

# What a client of the URL standard of browsers removes before all else.
_REMOVED = dict.fromkeys(map(ord, "\t\n\r"))

_DOTS = (".", "%2e", "%2E")
_CURRENT = frozenset(_DOTS)
_PARENT = frozenset(first + second for first in _DOTS for second in _DOTS)


def is_plain(text: str) -> bool:
    """Whether *text* is its own canonical spelling."""
    return "%" not in text and text.isascii()


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
    return text[-1:] == "%" or (
        text[-2:-1] == "%" and _CUT_ESCAPE.search(text) is not None
    )


def other_spelling(target: str) -> str | None:
    r"""Return the *target* of a URL as a client sends it that removes dot segments;
    `None` if that is the target as written.

    A target is a path and a query. RFC 3986 5.2.4, with `%2e` as a dot and `\` as `/`, and
    without tabs and line ends; the query has no segments.
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


def paths_under(value: str, head: str) -> tuple[str, ...]:
    """Return the paths that the rule *value*, an absolute URL, covers in URLs with this
    *head*: scheme and authority.
    """
    parts = _ABSOLUTE.match(value)
    # A URL that is a path alone has no host to compare.
    if parts is None or not head:
        return ()
    beginning, rest = parts[1], parts[2]
    # Ours O19: as written, but for the case of scheme and host; without a path the rule
    # may be the beginning of an authority. And with the origin normalised: without a
    # path the rule is the whole origin.
    paths = [_path_under(beginning.lower(), rest, head.strip())]
    ours, theirs = Origin.of(beginning), Origin.of(head)
    if ours and ours == theirs:
        paths.append(_path_under(str(ours), rest or "/", str(ours)))
    return tuple(dict.fromkeys(path for path in paths if path))


def _path_under(beginning: str, rest: str, head: str) -> str:
    """Return the path that the rule *beginning* + *rest* covers under *head*; empty if
    none.
    """
    written = canonical(head)
    rule, head = canonical(beginning) + rest, canonical(head.lower())
    if head.startswith(rule):
        # A head may have an encoded `?`, and the case of what is behind that counts.
        is_same = written[len(rule) - len(rest) :].startswith(rest)
        return "/" if is_same else ""
    path = rule.removeprefix(head)
    if path == rule:
        return ""
    if path.startswith(("?", "\\")):
        return "/" + path.removeprefix("\\")
    return path if path.startswith("/") else ""
