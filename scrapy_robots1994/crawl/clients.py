"""Which HTTP client sends a request of the crawl: what is judged is what is sent (O27)."""

from scrapy import Request
from scrapy.settings import BaseSettings

from scrapy_robots1994.crawl.requests import BROWSER_REQUEST
from scrapy_robots1994.crawl.setting_types import class_path, load_object
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.clients import (
    AIOHTTP,
    AIOHTTP_VERBATIM,
    BROWSER,
    CLIENTS,
    TWISTED,
    Clients,
    clients_of_handler,
    name_of,
)

_BY_AIOHTTP: Clients = (AIOHTTP,)
_BY_AIOHTTP_VERBATIM: Clients = (AIOHTTP_VERBATIM,)
_BY_BROWSER: Clients = (BROWSER,)


class CrawlClients:
    """The clients of a crawl, read from its settings when it starts."""

    def __init__(self, settings: BaseSettings) -> None:
        handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
        # Scrapy before 2.19 has no such setting, and always a reactor.
        has_reactor = settings.getbool("TWISTED_REACTOR_ENABLED", default=True)
        self._by_scheme = {
            scheme: _clients_of(handlers.get(scheme), has_reactor=has_reactor)
            for scheme in ("http", "https", "ws", "wss")
        }

    def of(self, request: Request, origin: Origin) -> Clients:
        """Return the clients that may send *request*, a URL of *origin*."""
        clients = self._by_scheme[origin.scheme]
        if request.url[0] in "wW":
            # No handler of WebSockets is known.
            clients = CLIENTS
        if clients is _BY_AIOHTTP and request.meta.get("verbatim_url"):
            return _BY_AIOHTTP_VERBATIM
        if clients is CLIENTS and BROWSER_REQUEST in request.meta:
            return _BY_BROWSER
        return clients

    @property
    def names(self) -> dict[str, str]:
        """The name of the clients for each scheme."""
        return {scheme: name_of(it) for scheme, it in self._by_scheme.items()}

    def of_scheme(self, scheme: str) -> Clients:
        """Return the clients that send URLs of *scheme*; of all schemes if it is another."""
        if scheme in self._by_scheme:
            return self._by_scheme[scheme]
        found = dict.fromkeys(it for row in self._by_scheme.values() for it in row)
        return tuple(found)


def _clients_of(handler: object, *, has_reactor: bool) -> Clients:
    """Return the clients of a *handler* as DOWNLOAD_HANDLERS names it."""
    try:
        clients = clients_of_handler(class_path(load_object(handler)))
    except (ImportError, NameError, AttributeError, TypeError, ValueError):
        # Without a handler, requests fail with an error of Scrapy's own.
        return CLIENTS
    # Twisted sends nothing without a reactor: Scrapy replaces its default handler by that
    # of aiohttp when such a crawl starts, but commands read the settings before.
    if clients == (TWISTED,) and not has_reactor:
        clients = (AIOHTTP,)
    return _BY_AIOHTTP if clients == _BY_AIOHTTP else clients
