"""Spellings of paths and URLs, under which they are compared."""

import re
from collections.abc import Callable, Iterator, Sequence
from string import ascii_letters, digits, hexdigits
from urllib.parse import unquote_to_bytes

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.body import encode

_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
# An encoded slash in a canonical spelling, whose other characters are bytes.
_SLASH_KEPT = "\u0100"
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
# An incomplete escape at the end.
_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
# An encoded `?` or `\`.
_ENCODED_END = re.compile("%(?:3f|5c)", re.IGNORECASE)
_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^/?\\]*)(.*)", re.DOTALL)

UNRESERVED = ascii_letters + digits + "-._~"
# Python's `bytes.strip` removes these.
_BLANKS = " \t\n\r\x0b\x0c"
_DOTS = (".", "%2e", "%2E")
_PARENTS = tuple(first + second for first in _DOTS for second in _DOTS)
_LINE_ENDS = dict.fromkeys(map(ord, "\t\n\r"))

# Ours O27: an ordinary URL has one to four spellings. All spellings of a URL together have
# about `_MAX_CHARACTERS`.
_MIN_SPELLINGS, _MAX_SPELLINGS, _MAX_CHARACTERS = 4, 24, 12_000


def canonical(text: str) -> str:
    """Return the spelling that *text* shares with all its percent-encodings. Never raises.

    Its characters are the bytes of the decoded text, and encoded slashes. An incomplete escape
    stays as it is.
    """
    if "%" not in text and text.isascii():
        return text
    # Ours O18: `%2F` may be data where `/` separates.
    return _SLASH_KEPT.join(map(_unquoted, _ENCODED_SLASH.split(text)))


def _unquoted(text: str) -> str:
    # Ours O17
    return unquote_to_bytes(encode(text)).decode("latin-1")


def spelled_escapes(decoded: str) -> dict[str, str]:
    """Map the two digits of each escape to its spelling: the character if it is in *decoded*,
    else the escape in capitals.
    """
    return {
        first + second: chr(code) if chr(code) in decoded else f"%{code:02X}"
        for first in hexdigits
        for second in hexdigits
        for code in [int(first + second, 16)]
    }


def has_cut_escape(text: str) -> bool:
    """Return whether *text* ends within an escape, and is compared as written too.

    `/a%4` is a prefix of `/a%41`, but not in their canonical spellings.
    """
    return "%" in text[-2:] and _CUT_ESCAPE.search(text) is not None


# Reserved characters of a query that aiohttp decodes.
_IN_QUERY = spelled_escapes(UNRESERVED + "!$'()*,?/:@")


def spellings_of(target: str) -> tuple[list[str], bool]:
    """Return *target*, what clients and servers may make of it, and whether there is more."""
    # Ours O27
    maximum = min(_MAX_SPELLINGS, _MAX_CHARACTERS // len(target))
    maximum = max(_MIN_SPELLINGS, maximum)
    spellings = [target]
    for spelling in spellings:
        for other in _respelled(spelling):
            if other not in spellings:
                spellings.append(other)
        if len(spellings) > maximum:
            return spellings[:maximum], True
    return spellings, False


def _respelled(target: str) -> Iterator[str]:
    """Yield what each single change makes of *target*, a path and a query."""
    path, mark, query = target.partition("?")
    if not target.isprintable():
        # Browsers, and aiohttp with `verbatim_url`
        yield target.translate(_LINE_ENDS)
    if target[-1] in _BLANKS:
        # Scrapy's HTTP/1.1, and aiohttp with `verbatim_url`
        yield target.rstrip(_BLANKS)
    if "\\" in path:
        # Browsers and servers
        yield path.replace("\\", "/") + mark + query
    if "/." in path or "/%2" in path:
        # httpx resolves written dot segments only, and leaves no slash at the end.
        yield (_resolved(path, (".",), ("..",)) or "/") + mark + query
        yield without_dot_segments(path) + mark + query
    if mark and not query:
        # All but httpx
        yield path
    if ";" in path:
        # Scrapy's HTTP/2 drops parameters, its HTTP/1.1 only empty ones.
        before, slash, last = path.rpartition("/")
        yield before + slash + last.partition(";")[0] + mark + query
    if "%" in query:
        # aiohttp
        yield path + mark + _ESCAPE.sub(lambda it: _IN_QUERY[it[1]], query)
    if target[:2] == "//" != target[2:4]:
        # Scrapy's HTTP/1.1 since Python 3.12.4
        yield f"//{target}"


def without_dot_segments(path: str) -> str:
    """Return *path* without dot segments. `%2e` counts as a dot."""
    # RFC 3986 5.2.4: `/a/.` becomes `/a/`, and `/a/b/..` becomes `/a/`.
    resolved = _resolved(path, _DOTS, _PARENTS)
    return resolved + "/" if path.rpartition("/")[2] in _DOTS + _PARENTS else resolved


def _resolved(path: str, dots: Sequence[str], parents: Sequence[str]) -> str:
    resolved: list[str] = []
    for segment in path.split("/")[1:]:
        if segment in parents:
            del resolved[-1:]
        elif segment not in dots:
            resolved.append(segment)
    return "".join(f"/{segment}" for segment in resolved)


def is_absolute(value: str) -> bool:
    """Return whether the value of a rule is an absolute URL."""
    return _ABSOLUTE.match(value) is not None


def url_forms(url: str, spelling: Callable[[str], str]) -> list[str]:
    """Return the forms in which an absolute URL is compared. The function *spelling*
    returns the spelling of a text.

    *url* is a URL or the value of a rule. The result is an empty list if *url* is not an
    absolute URL.
    """
    parts = _ABSOLUTE.match(url)
    if parts is None:
        return []
    beginning, rest = parts[1], parts[2]
    scheme, _, authority = beginning.partition("://")
    host = authority.rpartition("@")[2]
    # An escaped `?` or `\` may end the host, and case counts behind it.
    escape = _ENCODED_END.search(host)
    end = escape.start() if escape else len(host)
    text = spelling(f"{scheme}://{host[:end]}".lower() + host[end:] + rest)
    # Ours O19: the URL as written, but for credentials and the case of its origin. Here the
    # rule `http://h` also covers `http://h2/`.
    spelled = _ABSOLUTE.match(text)
    forms = [spelled[1] + _with_slash(spelled[2]) if spelled else text]
    # And with its origin normalised, which a host with an escape does not allow. `=` keeps
    # the two forms apart.
    if "%" not in beginning and (origin := Origin.of(beginning)):
        forms.append(f"={origin}{spelling(_with_slash(rest) or '/')}")
    return forms


def _with_slash(rest: str) -> str:
    # A client requests `/?x` for `http://h?x`, and Scrapy reads `\` after an authority as
    # `/`.
    if rest.startswith(("?", "\\")):
        return "/" + rest.removeprefix("\\")
    return rest
