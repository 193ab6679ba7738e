"""What is judged is what is sent (O27): no spelling of a disallowed URL arrives.

The server's log decides, for each of Scrapy's HTTP handlers: some remove dot segments
before they send, and servers do it after.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote

import pytest
import scrapy

from tests.support import replies
from tests.support.crawl import Ask, Reactor, crawl, reactors
from tests.support.site import Site

HANDLERS = "scrapy.core.downloader.handlers"
VERSION = tuple(map(int, scrapy.__version__.split(".")[:2]))
WAYS: list[tuple[Reactor, str]] = [(reactor, "") for reactor in reactors()]
WAYS += [
    ("asyncio", f"{HANDLERS}.{module}.{name}")
    for module, name in (
        ("_aiohttp", "AiohttpDownloadHandler"),
        ("_httpx", "HttpxDownloadHandler"),
    )
    if find_spec(f"{HANDLERS}.{module}") and "asyncio" in reactors()
]

UNRESERVED = re.compile("%(2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)", re.IGNORECASE)

DISALLOWED = (
    "/private/1",
    "/a/../private/2",
    "/./private/3",
    "/a/%2e%2e/private/4",
    "/a/b/../%2E./private/5",
    "/%70rivate/6",
    "/%70%72ivate/7",
    "/a/..\\private/8",
    "/../private/9",
    "/a/./.././private/10?q=/../open",
)
ALLOWED = ("/open/1", "/private/../open/2", "/open?to=/a/../private/3", "/privat/4")


def normalized(target: str) -> str:
    """The path of *target* as a server resolves it: RFC 3986 6.2.2 and 5.2.4."""
    path = target.partition("?")[0].replace("\\", "/")
    path = UNRESERVED.sub(lambda found: unquote(found[0]), path)
    segments: list[str] = []
    for segment in re.split("/", path)[1:]:
        if segment == "..":
            del segments[-1:]
        elif segment != ".":
            segments.append(segment)
    return "/" + "/".join(segments)


def arrived(site: Site) -> list[str]:
    """The targets that arrived, but for robots.txt."""
    return [target for target in site.targets() if target != "/robots.txt"]


@pytest.mark.parametrize(("reactor", "handler"), WAYS)
@pytest.mark.parametrize("is_verbatim", [False, True])
def test_no_spelling_of_a_disallowed_url_arrives(
    reactor: Reactor, handler: str, *, is_verbatim: bool
) -> None:
    """Requests of a spider, as Scrapy spells them and, since 2.19, as written."""
    if is_verbatim and VERSION < (2, 19):
        pytest.skip("Scrapy has no meta key verbatim_url")
    settings: dict[str, Any] = {}
    if handler:
        settings["DOWNLOAD_HANDLERS"] = {"http": handler}
    meta = {"verbatim_url": True} if is_verbatim else {}
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        asks = [Ask(site.url(path), meta=meta) for path in (*DISALLOWED, *ALLOWED)]
        result = crawl(asks, reactor=reactor, settings=settings, may_warn=bool(handler))
        targets = arrived(site)

    assert [it for it in targets if normalized(it).startswith("/private")] == []
    assert len(result.failed) == len(asks) - len(targets)
    assert {normalized(it) for it in targets} >= {"/open/1", "/open", "/privat/4"}


@pytest.mark.parametrize("reactor", reactors())
def test_links_redirects_and_sitemaps_lead_to_no_disallowed_spelling(
    reactor: Reactor,
) -> None:
    """Wherever a URL comes from, it is judged as it is sent."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        links = "".join(f'<a href="{path}">x</a>' for path in (*DISALLOWED, *ALLOWED))
        site.answer("/links", replies.html(links))
        hops = []
        for number, path in enumerate(DISALLOWED):
            site.answer(f"/hop{number}", replies.redirect(path))
            hops.append(site.url(f"/hop{number}"))
        crawl(
            [site.url("/links"), *hops], reactor=reactor, spider_args={"follow": True}
        )
        targets = arrived(site)

    assert [it for it in targets if normalized(it).startswith("/private")] == []
    assert {normalized(it) for it in targets} >= {"/open/1", "/open", "/privat/4"}
