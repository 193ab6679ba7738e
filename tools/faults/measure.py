"""Crawl many faults at once, each an origin of its own, and return their outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.support.crawl import CrawlResult, Reactor, crawl
from tools.faults.fault import FETCHED, LONG, RULES, SHORT, Fault, Outcome, PageFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.site import Seen, Site

SETTINGS: dict[str, Any] = {
    "ROBOTS1994_TIMEOUT": LONG,
    "DOWNLOAD_TIMEOUT": LONG,
    "DOWNLOAD_MAXSIZE": 10_000_000,
    "RETRY_ENABLED": True,
    "RETRY_TIMES": 1,
    "CONCURRENT_REQUESTS": 100,
    "LOG_LEVEL": "INFO",
    "MEMUSAGE_CHECK_INTERVAL_SECONDS": 0.2,
}
HURRIED = {"ROBOTS1994_TIMEOUT": SHORT, "DOWNLOAD_TIMEOUT": SHORT}
PAGES = ("/open", "/closed")


@dataclass(frozen=True, slots=True)
class Measured:
    """One crawl of many faults: the outcome of each, and the result of the crawl."""

    outcomes: dict[str, Outcome]
    result: CrawlResult
    seen: list[Seen]


def measure(  # noqa: PLR0913 (keyword arguments of a crawl)
    site: Site,
    faults: Sequence[Fault] = (),
    pages: Sequence[PageFault] = (),
    *,
    others: Sequence[Site] = (),
    reactor: Reactor = "asyncio",
    settings: Mapping[str, Any] | None = None,
) -> Measured:
    """Request /open and /closed of every fault in one crawl.

    Everything is scripted on *site*; requests to the *others* are counted too.
    """
    for each in (site, *others):
        each.robots(RULES)
        each.forget()
    bases = {fault.slug: _script(site, fault) for fault in faults}
    urls = [base + page for base in bases.values() for page in PAGES]
    urls += [_script_page(site, fault) for fault in pages]
    result = crawl(urls, reactor=reactor, settings=SETTINGS | dict(settings or {}))
    ended = _ends(result)
    seen = [request for each in (site, *others) for request in each.log()]
    outcomes = {}
    for slug, base in bases.items():
        opened, closed = (ended.get(base + page, "lost") for page in PAGES)
        outcomes[slug] = _outcome(slug, opened, closed, seen)
    by_host = {slug_of(url): end for url, end in _ends(result, status=True).items()}
    for fault in pages:
        end = by_host.get(fault.slug, "lost")
        outcomes[fault.slug] = _outcome(fault.slug, end, "", seen)
    return Measured(outcomes, result, seen)


def _script(site: Site, fault: Fault) -> str:
    """Script the origin of a fault and return its base URL."""
    host = f"{fault.slug}.test"
    for target, reply in fault.further:
        site.answer(target, reply, at=host)
    if fault.replies is not None:
        site.answer("/robots.txt", fault.replies, at=host)
    return fault.at or site.url("", host=host)


def _script_page(site: Site, fault: PageFault) -> str:
    """Script the page of a fault and return its URL."""
    site.answer("/open", fault.reply, at=f"{fault.slug}.test")
    return site.url("/open", host=f"{fault.slug}.test")


def slug_of(url: str) -> str:
    """Return the slug of the fault with this host."""
    return (urlsplit(url).hostname or "").removesuffix(".test").partition("--")[0]


def _ends(result: CrawlResult, *, status: bool = False) -> dict[str, str]:
    """Return the outcome of each request by its last URL; one that ended twice says so."""
    ends = {
        failed.url: failed.verdict["reason"] if failed.verdict else "failed"
        for failed in result.failed
    }
    for url, code in result.fetched:
        ends[url] = (
            "twice" if url in ends else f"{FETCHED} {code}" if status else FETCHED
        )
    return ends


def _outcome(slug: str, opened: str, closed: str, seen: list[Seen]) -> Outcome:
    """Return the outcome of one fault, with the requests seen by the server."""
    targets = [each.target for each in seen if slug_of(f"//{each.host}") == slug]
    pages = sum(target in PAGES for target in targets)
    return Outcome(slug, opened, closed, len(targets) - (pages if closed else 0), pages)
