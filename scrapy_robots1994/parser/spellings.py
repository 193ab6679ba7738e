"""The spellings of paths and URLs that are compared with rules."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from string import ascii_letters, digits, hexdigits, punctuation
from urllib.parse import quote, unquote_to_bytes

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.body import encode

_ENCODED_SLASH = re.compile("%2f", re.IGNORECASE)
# Stands for an encoded slash in canonical spellings, whose other characters all stand for bytes.
_SLASH_KEPT = "\u0100"
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
# An incomplete escape at the end
CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
# An encoded `?` or `\`
_ENCODED_END = re.compile("%(?:3f|5c)", re.IGNORECASE)
_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^/?\\]*)(.*)", re.DOTALL)

UNRESERVED = ascii_letters + digits + "-._~"
# The characters that `bytes.strip` removes
_BLANKS = " \t\n\r\x0b\x0c"
_DOTS = (".", "%2e", "%2E")
_PARENTS = tuple(first + second for first in _DOTS for second in _DOTS)
_LINE_ENDS = dict.fromkeys(map(ord, "\t\n\r"))

# Ours O27. Ordinary URLs have up to four spellings. More than four spellings are compared only if
# their total length is at most about `_MAX_CHARACTERS`.
_MIN_SPELLINGS, _MAX_SPELLINGS, _MAX_CHARACTERS = 4, 24, 12_000


def canonical(text: str) -> str:
    """Return the spelling that all percent-encodings of *text* share. Never raises.

    It contains one character for each decoded byte, and a mark for each encoded slash. Incomplete
    escapes stay as they are.
    """
    if "%" not in text and text.isascii():
        return text
    # Ours O18: `%2F` may be part of a name, while `/` separates names.
    return _SLASH_KEPT.join(map(_unquoted, _ENCODED_SLASH.split(text)))


def _unquoted(text: str) -> str:
    # Ours O17
    return unquote_to_bytes(encode(text)).decode("latin-1")


@cache
def spelled_escapes(decoded: str) -> dict[str, str]:
    """Map each pair of hexadecimal digits to the character that it encodes if *decoded* contains
    that character, or else to the escape in upper case: "7e" to "~" or "%7E".
    """
    return {
        first + second: chr(code) if chr(code) in decoded else f"%{code:02X}"
        for first in hexdigits
        for second in hexdigits
        for code in [int(first + second, 16)]
    }


def has_cut_escape(text: str) -> bool:
    """Whether *text* ends within an escape.

    If so, *text* is also compared as sent: `/a%4` is a prefix of `/a%41`, but not of `/aA`, the
    canonical spelling of `/a%41`.
    """
    return "%" in text[-2:] and CUT_ESCAPE.search(text) is not None


def as_sent(text: str) -> str:
    """Return *text* as clients send it, with its own escapes as written. Never raises.

    Blanks, control characters and characters outside ASCII are percent-encoded.
    """
    return quote(encode(text), safe=punctuation)


# Characters that aiohttp decodes in a query
_IN_QUERY = UNRESERVED + "!$'()*,?/:@"


def spellings_of(target: str) -> tuple[list[str], bool]:
    """Return *target* and the other spellings that clients and servers may use, and whether any
    were left out.
    """
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
    """Yield *target* after each single change that a client or server may make."""
    path, mark, query = target.partition("?")
    if not target.isprintable():
        # Browsers, and aiohttp with `verbatim_url`, remove tabs and line ends.
        yield target.translate(_LINE_ENDS)
    if target[-1] in _BLANKS:
        # Scrapy's HTTP/1.1 handler, and aiohttp with `verbatim_url`, strip trailing blanks.
        yield target.rstrip(_BLANKS)
    if "\\" in path:
        # Browsers and servers may treat `\` as `/`.
        yield path.replace("\\", "/") + mark + query
    if "/." in path or "/%2" in path:
        # httpx resolves only dots that are not encoded, and turns `/a/.` into `/a`.
        yield (_resolved(path, (".",), ("..",)) or "/") + mark + query
        yield without_dot_segments(path) + mark + query
    if mark and not query:
        # httpx keeps a `?` without a query, but Scrapy's HTTP/1.1 handler, for example, drops it.
        yield path
    if ";" in path:
        # Scrapy drops path parameters over HTTP/2, and empty ones over HTTP/1.1.
        before, slash, last = path.rpartition("/")
        yield before + slash + last.partition(";")[0] + mark + query
    if "%" in query:
        # aiohttp decodes some escapes in a query.
        escapes = spelled_escapes(_IN_QUERY)
        yield path + mark + _ESCAPE.sub(lambda it: escapes[it[1]], query)
    if target[:2] == "//" != target[2:4]:
        # Since Python 3.12.4, Scrapy's HTTP/1.1 handler puts `//` before paths that begin with it.
        yield f"//{target}"


def without_dot_segments(path: str) -> str:
    """Resolve dot segments. `%2e` counts as a dot."""
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
    return _ABSOLUTE.match(value) is not None


def url_forms(url: str, spelling: Callable[[str], str]) -> list[str]:
    """Return the forms in which an absolute URL is compared, or [] if *url* is not absolute.

    *url* may also be the value of a rule. *spelling* is `canonical` or `as_sent`.
    """
    parts = _ABSOLUTE.match(url)
    if parts is None:
        return []
    beginning, rest = parts[1], parts[2]
    scheme, _, authority = beginning.partition("://")
    host = authority.rpartition("@")[2]
    # An escaped `?` or `\` may end the host. What follows the host is case-sensitive.
    escape = _ENCODED_END.search(host)
    end = escape.start() if escape else len(host)
    text = spelling(f"{scheme}://{host[:end]}".lower() + host[end:] + rest)
    # Ours O19: the first form is the URL as written, without credentials and with its origin in
    # lower case. In this form, the rule `http://h` also covers `http://h2/`.
    spelled = _ABSOLUTE.match(text)
    forms = [spelled[1] + _with_slash(spelled[2]) if spelled else text]
    # The second form has a normalized origin. It begins with `=`, so that the two forms cannot be
    # confused. This form is left out if the authority contains an escape or the URL has no origin.
    if "%" not in beginning and (origin := Origin.of(beginning)):
        forms.append(f"={origin}{spelling(_with_slash(rest) or '/')}")
    return forms


def _with_slash(rest: str) -> str:
    # Clients request `/?x` for `http://h?x`, and Scrapy treats a `\` after the authority as `/`.
    if rest.startswith(("?", "\\")):
        return "/" + rest.removeprefix("\\")
    return rest
