"""The spellings in which HTTP clients send the target of a URL.

Ours O27 (spellings): the rules apply to a URL as the client sends it. An HTTP client can
rewrite a URL after the crawl has checked it. Each row of `CLIENTS` describes one client.
`tests/crawl/test_clients.py` puts every byte into each part of a URL, and sends the URLs
with each known download handler. The test then disallows each changed target that the
server received. The test fails if a disallowed target arrives again.
"""

import re
from collections.abc import Callable, Iterator
from string import ascii_letters, digits
from typing import NamedTuple, TypeAlias
from urllib.parse import urlparse, urlunparse

from scrapy_robots1994.parser.spellings import spelled_escapes, without_dot_segments

_WHITE_SPACE = " \t\n\r\x0b\x0c"
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})?")
_UNRESERVED = ascii_letters + digits + "-._~"


class Client(NamedTuple):
    """One HTTP client, identified by its *name*.

    *handlers* are the import paths of the download handlers that use this client. *sent*
    takes the path and query of a URL, and returns the target that the client writes in
    the request line.
    """

    name: str
    handlers: tuple[str, ...]
    sent: Callable[[str], str]


Clients: TypeAlias = tuple[Client, ...]
"""The clients that might send a URL. The tuple is empty outside a crawl, contains one
client for a known download handler, and contains every client for an unknown download
handler.
"""


def _as_written(target: str) -> str:
    """Return *target* unchanged. The function describes a client that changes nothing, or
    that only removes dot segments.
    """
    return target


def _without_empty_query(target: str) -> str:
    """Return *target* without trailing white space and without the `?` of an empty query."""
    path, _, query = target.rstrip(_WHITE_SPACE).partition("?")
    return f"{path}?{query}" if query else path


def _is_parted(target: str) -> bool:
    """Return whether Python's `urlparse` and `urlunparse` might change *target*."""
    return ";" in target or target[-1] in _WHITE_SPACE + "?" or target[:2] == "//"


def _parted(target: str) -> str:
    """Return the target that Scrapy's HTTP/1.1 handler sends for *target*. The handler
    omits an empty query and empty parameters.
    """
    if not _is_parted(target):
        return target
    _, _, path, parameters, query, _ = urlparse(f"http://h{target.rstrip()}")
    return urlunparse(("", "", path, parameters, query, "")) or "/"


def _without_parameters(target: str) -> str:
    """Return the target that Scrapy's HTTP/2 handler sends for *target*. The handler omits
    an empty query and the parameters of the last segment.
    """
    if not _is_parted(target):
        return target
    _, _, path, _, query, _ = urlparse(f"http://h{target.rstrip()}")
    return f"{path or '/'}?{query}" if query else path or "/"


# aiohttp uses yarl. In a path and in a query, yarl decodes the escapes of the following
# characters.
_IN_PATH = spelled_escapes(_UNRESERVED + "!$'()*,&=;@:")
_IN_QUERY = spelled_escapes(_UNRESERVED + "!$'()*,?/:@")


def _requoted(target: str) -> str:
    """Return the target that aiohttp sends for *target*. The library yarl of aiohttp
    decodes unnecessary escapes and omits an empty query.
    """
    if "%" in target:
        path, mark, query = target.partition("?")
        target = _respelled(path, _IN_PATH) + mark + _respelled(query, _IN_QUERY)
    return _without_empty_query(target)


def _respelled(text: str, spelled: dict[str, str]) -> str:
    """Return *text* with each escape replaced by its spelling in *spelled*."""
    # Encode each `%` that does not begin an escape.
    return _ESCAPE.sub(lambda it: spelled[it[1]] if it[1] else "%25", text)


_MODULE = "scrapy.core.downloader.handlers"
TWISTED = Client("twisted", (f"{_MODULE}.http11.HTTP11DownloadHandler",), _parted)
HTTP2 = Client("http2", (f"{_MODULE}.http2.H2DownloadHandler",), _without_parameters)
HTTPX = Client("httpx", (f"{_MODULE}._httpx.HttpxDownloadHandler",), _as_written)
AIOHTTP = Client("aiohttp", (f"{_MODULE}._aiohttp.AiohttpDownloadHandler",), _requoted)
AIOHTTP_VERBATIM = Client("aiohttp-verbatim", (), _without_empty_query)
"""The aiohttp client for a request with `verbatim_url` in the request's meta. Only aiohttp
treats `verbatim_url` specially.
"""
BROWSER = Client("browser", (), _as_written)
"""A browser that loads resources by itself. Each URL is checked in the spelling that the
browser sends.
"""

CLIENTS: Clients = (TWISTED, HTTP2, HTTPX, AIOHTTP, AIOHTTP_VERBATIM, BROWSER)
"""Every known client."""

UNKNOWN = "unknown"
"""The result of `name_of` for several clients. If no row of `CLIENTS` lists the download
handler, the handler might use any client.
"""


def clients_of_handler(path: str) -> Clients:
    """Return the clients of the download handler with the import *path*, or all clients if
    the handler is unknown.
    """
    found = tuple(it for it in CLIENTS if path in it.handlers)
    # A subclass of a known handler has a different path. The subclass counts as unknown,
    # because it might use another client.
    return found or CLIENTS


def clients_named(name: object) -> Clients:
    """Return the clients for which `name_of` returned *name*. Return no clients if *name*
    is None, and all clients if *name* is not the name of a client.
    """
    if name is None:
        return ()
    return tuple(it for it in CLIENTS if it.name == name) or CLIENTS


def name_of(clients: Clients) -> str:
    """Return the name of the client if *clients* contains one client, and `UNKNOWN` if
    *clients* contains several clients. *clients* must not be empty.
    """
    return UNKNOWN if len(clients) > 1 else clients[0].name


def own_name_of(clients: Clients) -> str | None:
    """Return the name of the client if *clients* contains one client that does not belong
    to a download handler. Return None if the client belongs to a download handler, or if
    *clients* contains several clients.
    """
    first, *others = clients
    return None if others or first.handlers else first.name


def other_spellings(target: str, clients: Clients) -> Iterator[str]:
    """Yield each spelling in which a server might receive the *target* of a URL, except
    *target* as written. Each of *clients* might send a different spelling. For *target* and
    for each spelling that a client sends, also yield the spelling without dot segments.
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
