"""Clients: how the target of a URL is spelled when it is sent.

Ours O27: what is judged is what is sent. An HTTP client may write a URL anew after the
crawl has judged it. Each row of `CLIENTS` is one client. `tests/crawl/test_clients.py`
sends every byte in each part of a URL through each client, and fails where a server gets
another target than the row says.
"""

import re
from collections.abc import Callable, Iterator
from string import ascii_letters, digits, hexdigits
from typing import NamedTuple, TypeAlias
from urllib.parse import urlparse, urlunparse

from scrapy_robots1994.parser.spellings import without_dot_segments

_WHITE_SPACE = " \t\n\r\x0b\x0c"
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})?")
_UNRESERVED = ascii_letters + digits + "-._~"


class Client(NamedTuple):
    """One HTTP client, under its *name*.

    *handlers* are the import paths of the download handlers that send with it. *sent*
    returns the target of a request line for a target, which is path and query of a URL.
    """

    name: str
    handlers: tuple[str, ...]
    sent: Callable[[str], str]


Clients: TypeAlias = tuple[Client, ...]
"""The clients that may send a URL: none outside of a crawl, one if its download handler
is known, all of them if not."""


def _as_written(target: str) -> str:
    """Return *target*: the client changes nothing but dot segments."""
    return target


def _without_empty_query(target: str) -> str:
    """Return *target* without a `?` that no query follows."""
    path, _, query = target.rstrip(_WHITE_SPACE).partition("?")
    return f"{path}?{query}" if query else path


def _is_parted(target: str) -> bool:
    """Return whether Python's `urlparse` and `urlunparse` may change *target*."""
    return ";" in target or target[-1] in _WHITE_SPACE + "?" or target[:2] == "//"


def _parted(target: str) -> str:
    """Return *target* as Twisted puts it together from its parts, which leaves out an
    empty query and empty parameters.
    """
    if not _is_parted(target):
        return target
    _, _, path, parameters, query, _ = urlparse(f"http://h{target.rstrip()}")
    return urlunparse(("", "", path, parameters, query, "")) or "/"


def _without_parameters(target: str) -> str:
    """Return *target* as Scrapy's handler for HTTP/2 sends it: without the parameters of
    its last segment, and without an empty query.
    """
    if not _is_parted(target):
        return target
    _, _, path, _, query, _ = urlparse(f"http://h{target.rstrip()}")
    return f"{path or '/'}?{query}" if query else path or "/"


def _spelled(decoded: str) -> dict[str, str]:
    """Return the spelling of each escape, by its two digits: the *decoded* characters as
    they are, all others with capital letters.
    """
    return {
        first + second: chr(code) if chr(code) in decoded else f"%{code:02X}"
        for first in hexdigits
        for second in hexdigits
        for code in [int(first + second, 16)]
    }


# By yarl, which aiohttp uses: what is not encoded in a path, and in a query.
_IN_PATH = _spelled(_UNRESERVED + "!$'()*,&=;@:")
_IN_QUERY = _spelled(_UNRESERVED + "!$'()*,?/:@")


def _requoted(target: str) -> str:
    """Return *target* as yarl quotes it: escapes that it thinks unnecessary are decoded."""
    if "%" in target:
        path, mark, query = target.partition("?")
        target = _respelled(path, _IN_PATH) + mark + _respelled(query, _IN_QUERY)
    return _without_empty_query(target)


def _respelled(text: str, spelled: dict[str, str]) -> str:
    """Return *text* with each escape as it is *spelled*."""
    # A `%` that begins no escape is encoded itself.
    return _ESCAPE.sub(lambda it: spelled[it[1]] if it[1] else "%25", text)


_MODULE = "scrapy.core.downloader.handlers"
TWISTED = Client("twisted", (f"{_MODULE}.http11.HTTP11DownloadHandler",), _parted)
HTTP2 = Client("http2", (f"{_MODULE}.http2.H2DownloadHandler",), _without_parameters)
HTTPX = Client("httpx", (f"{_MODULE}._httpx.HttpxDownloadHandler",), _as_written)
AIOHTTP = Client("aiohttp", (f"{_MODULE}._aiohttp.AiohttpDownloadHandler",), _requoted)
AIOHTTP_VERBATIM = Client("aiohttp-verbatim", (), _without_empty_query)
"""A request with `verbatim_url` in its meta, which only aiohttp treats differently."""
BROWSER = Client("browser", (), _as_written)
"""What a browser loads by itself, whose URLs are known as they are sent."""

CLIENTS: Clients = (TWISTED, HTTP2, HTTPX, AIOHTTP, AIOHTTP_VERBATIM, BROWSER)
"""Every client that is known."""

UNKNOWN = "unknown"
"""The name of the clients of a download handler that the table does not have."""


def clients_of_handler(path: str) -> Clients:
    """Return the clients of the download handler with the import *path*."""
    found = tuple(it for it in CLIENTS if path in it.handlers)
    # A subclass has another path: it may send with a client of its own.
    return found or CLIENTS


def clients_named(name: object) -> Clients:
    """Return the clients of which `name_of` returned *name*; none without a name."""
    if name is None:
        return ()
    return tuple(it for it in CLIENTS if it.name == name) or CLIENTS


def name_of(clients: Clients) -> str:
    """Return the one name of *clients*, of which there are some."""
    return UNKNOWN if len(clients) > 1 else clients[0].name


def own_name_of(clients: Clients) -> str | None:
    """Return the name of *clients* that single requests have; `None` for those of a download
    handler, or of an unknown one.
    """
    first, *others = clients
    return None if others or first.handlers else first.name


def other_spellings(target: str, clients: Clients) -> Iterator[str]:
    """Yield the spellings of the *target* of a URL in which it may arrive, besides the one
    as written: as one of *clients* sends it, and each without dot segments.
    """
    sent = {target: None}
    for client in clients:
        sent[client.sent(target)] = None
    for spelling in sent:
        if spelling != target:
            yield spelling
        resolved = without_dot_segments(spelling)
        if resolved is not None and resolved not in sent:
            yield resolved
