"""No disallowed URL reaches the server, however a download handler rewrites it (O27).

Paths and queries are tried with every byte percent-encoded, and with every raw Latin-1 character
except letters and digits. A first crawl shows which URLs the handler changes. robots.txt then
disallows exactly what arrived, so a second crawl of these URLs must not request any page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from scrapy import Request
from scrapy import __version__ as version

from tests.oracle.reading import DIALECTS, GROUPED
from tests.support.crawl import (
    CrawlRequest,
    Reactor,
    crawl,
    http_handlers,
    reactors,
)
from tests.support.http2 import http2_site
from tests.support.left_out import long_after

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.support.site import Site

VERSION = tuple(map(int, version.split(".")[:2]))
MODULE = "scrapy.core.downloader.handlers"
HTTP2 = f"{MODULE}.http2.H2DownloadHandler"

needs_http2 = pytest.mark.skipif(
    VERSION < (2, 16), reason="before Scrapy 2.16, HTTP/2 fails with current pyOpenSSL"
)

ENCODED = [f"%{code:02X}" for code in range(256)]
MARKS = [it for it in map(chr, range(256)) if not it.isalnum()]
PARTS = {"/{}/p{}q": ENCODED + MARKS, "/{}?p{}q": ENCODED + MARKS}
PARTS |= {"/{}/p{}": MARKS, "/{}?p{}": MARKS, "/{}/p{}?q": MARKS}
"""Maps patterns to the strings that replace their second placeholder. The first placeholder is
replaced with a number that identifies the target.
"""

ODD = """
    /{}? /{}?# /{}# /{}; /{}?; /{}/; /{}/a;b /{}/a;b/c /{}/a;b?q /{};p?q=1 /{};?q /{};; /{}?q;
    /{}?? /{}?a?b /{}//a /{}// //{}/a //{} /{}?//a /{}?%2F%2f /{}/%2e%2f /{}/a\\b /{}?a\\b
    /{}/% /{}/%4 /{}/%zz /{}?% /{}?%4 /{}?%zz /{}/%%32F /{}?%%32F /{}/%25%32%46 /{}/é /{}?ü%FC
    /{}?a+b /{}/a+b /{}?a%2Bb&c%3Dd%26e /{}/a%2Bb%2Fc%3Bd /{}?x#f; /{}/a;#f /{}?a#b?c /{}/..%2fx
    /{}/a/./b%40 /{}/a/../b%40 /{}/.;a /{}/a/..;b?c
"""


PARAMETERS = ("/a;b", "/a;b?q")


def targets() -> list[str]:
    forms = [part.format("{}", it) for part, texts in PARTS.items() for it in texts]
    return [
        it.replace("{}", f"n{number}", 1)
        for number, it in enumerate([*forms, *ODD.split()])
    ]


def verbatim(target: str) -> bool:
    """Whether a client can send *target* without encoding it."""
    return re.fullmatch(r"[!-~]+", target) is not None


def requests(base: str, wanted: Iterable[str], *, as_is: bool) -> list[CrawlRequest]:
    """Return requests for the targets in *wanted*.

    If *as_is*, Scrapy does not encode the URLs, so targets that need encoding are left out.
    """
    if as_is:
        meta = {"verbatim_url": True}
        return [CrawlRequest(base + it, meta=meta) for it in wanted if verbatim(it)]
    return [CrawlRequest(Request(base + it).url) for it in wanted]


def number_of(target: str) -> str:
    found = re.match(r"/+(n\d+)", target)
    return found[1] if found else ""


def changed(sent: list[CrawlRequest], base: str, seen: list[str]) -> dict[str, str]:
    """Map each target that the client changed to the target that arrived."""
    got = {number_of(it): it for it in seen}
    targets = [it.url.removeprefix(base).partition("#")[0] for it in sent]
    pairs = {it: got.get(number_of(it), it) for it in targets}
    return {target: it for target, it in pairs.items() if target != it}


def decoded(target: str) -> str:
    """Decode *target* except for `%2F` (O18)."""
    return unquote(re.sub("%2f", "%252F", target, flags=re.IGNORECASE), "latin-1")


RESERVED = re.compile("%(2[146789ac]|3[abd]|40)", re.IGNORECASE)


def is_kept(target: str) -> bool:
    """Whether the path of *target* has an escape that aiohttp decodes but rfc9309 keeps (O27)."""
    return RESERVED.search(target.partition("?")[0]) is not None


def robots_txt(found: dict[str, str], dialect: str) -> str:
    """Return a robots.txt that disallows the targets that arrived.

    In the dialect "extended", the file also allows the targets as written.
    """
    lines = []
    for target, got in found.items():
        rule = got.replace("*", "%2A").replace("$", "%24")
        if dialect in GROUPED:
            rule += "$"
        # An Allow line must not cover the target that arrived (O18).
        elif dialect == "extended" and not decoded(got).startswith(decoded(target)):
            lines.append(f"Allow: {target}")
        lines.append(f"Disallow: {rule}")
    return "\n".join(["User-agent: *", *lines, ""])


# The default handler is tested on one reactor only: `select` and `asyncio` have the same default,
# and `http_handlers` also pairs the default of `none` with `asyncio`.
CLIENTS = [
    (reactor, handler, as_is)
    for reactor, handler in http_handlers()
    if handler or reactor == reactors()[0]
    for as_is in (False, True)
]


@pytest.mark.parametrize(("reactor", "handler", "as_is"), long_after(2, CLIENTS))
def test_ours_o27_nothing_arrives_that_is_disallowed_as_it_arrives(
    site: Site, reactor: Reactor, handler: str, *, as_is: bool
) -> None:
    base = site.url("")
    options: dict[str, Any] = {"reactor": reactor, "may_warn": True}
    settings: dict[str, Any] = {
        "DOWNLOAD_HANDLERS": {"http": handler} if handler else {}
    }
    settings["LOG_LEVEL"] = "ERROR"
    sent = requests(base, targets(), as_is=as_is)
    crawl(sent, middleware="off", settings=settings, **options)
    found = changed(sent, base, site.targets())
    for dialect in DIALECTS:
        site.forget()
        if dialect in GROUPED:
            found = {it: got for it, got in found.items() if not is_kept(it)}
        site.robots(robots_txt(found, dialect))
        again = requests(base, found, as_is=as_is)
        settings |= {"ROBOTS1994_DIALECT": dialect, "ROBOTS1994_MAX_BYTES": 10**7}
        result = crawl(again, settings=settings, **options)

        assert set(site.targets()) - {"/robots.txt"} == set()
        assert len(result.failed) == len(found)


@pytest.mark.plugin("h2")
@needs_http2
def test_ours_o27_nothing_arrives_over_http2_that_is_disallowed_as_it_arrives() -> None:
    """Scrapy's HTTP/2 client drops the parameters of the last path segment, such as `;b`."""
    settings = {"DOWNLOAD_HANDLERS": {"https": HTTP2}, "ROBOTS1994_DIALECT": "rfc9309"}
    with http2_site() as (base, seen):
        sent = requests(base, targets(), as_is=False)
        crawl(sent, middleware="off", settings=settings, may_warn=True)
    found = changed(sent, base, seen)
    assert {it[it.index("/a;") :] for it in found if "/a;b" in it} == set(PARAMETERS)
    with http2_site(robots_txt(found, "rfc9309")) as (base, seen):
        again = requests(base, found, as_is=False)
        result = crawl(again, settings=settings, may_warn=True)

    assert seen == ["/robots.txt"]
    assert len(result.failed) == len(found)
