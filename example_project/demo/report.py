"""The results of the crawls as text, up to 100 columns wide."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from demo.hosts import HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from demo.crawling import Crawl
    from demo.serving import Served

WIDTH = 100
INDENT = " " * 14
SHOWN_STATS = ("robotstxt/", "robots1994/")
PRINTED_ELSEWHERE = ("robots1994/refused_by/",)


def wrapped(first: str, text: str, indent: str = INDENT) -> str:
    return textwrap.fill(
        f"{first}{text}",
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def by_host(served: Served, urls: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each host that has pages in *urls*, and the paths of these pages."""
    wanted = set(urls)
    for host in HOSTS:
        origin = served.origins[host.name]
        paths = [page.path for page in host.pages if origin + page.path in wanted]
        if paths:
            yield host.name, paths


def hosts(served: Served) -> Iterator[str]:
    pages, allowed = len(served.allowed), sum(served.allowed.values())
    crawled = sum(bool(host.pages) for host in HOSTS)
    yield (
        f"{len(HOSTS)} hosts, of which {crawled} have pages: {pages} pages, "
        f"{pages - allowed} of them disallowed"
    )
    yield ""
    for host in HOSTS:
        origin = served.origins[host.name].removeprefix("http://")
        yield f"  {host.name:12}{origin:17}{host.about}"


def fetched(served: Served, crawl: Crawl) -> Iterator[str]:
    yield f"Fetched: {len(crawl.fetched)} pages"
    for name, paths in by_host(served, crawl.fetched):
        yield wrapped(f"  {name:12}", "  ".join(paths))


def refused(served: Served, crawl: Crawl) -> Iterator[str]:
    yield f"Refused: {len(crawl.refused)} pages"
    for name, paths in by_host(served, crawl.refused):
        reasons = [crawl.refused[served.origins[name] + path] for path in paths]
        for reason in dict.fromkeys(reasons):
            some = [p for p, why in zip(paths, reasons, strict=True) if why == reason]
            yield wrapped(f"  {name:12}", "  ".join(some))
            yield wrapped(INDENT, reason)
    for name, paths in by_host(served, crawl.failed):
        yield wrapped(f"  {name:12}", f"failed: {'  '.join(paths)}")


def robots_requests(crawl: Crawl) -> Iterator[str]:
    yield f"Requests for robots.txt: {crawl.robots.total()}"
    counts = [f"{host.name}:{crawl.robots[host.name]}" for host in HOSTS]
    yield wrapped("  ", ",  ".join(counts), "  ")


def stats(crawl: Crawl) -> Iterator[str]:
    yield "Stats"
    shown = sorted(
        key
        for key in crawl.stats
        if key.startswith(SHOWN_STATS) and not key.startswith(PRINTED_ELSEWHERE)
    )
    width = max(map(len, shown), default=0)
    for key in shown:
        yield f"  {key:{width}}{crawl.stats[key]:>6}"


def warnings(crawl: Crawl) -> Iterator[str]:
    yield f"Warnings in the log: {len(crawl.warnings)}"
    for warning in crawl.warnings:
        yield wrapped("  ", warning, "    ")


def side_by_side(served: Served, ours: Crawl, builtin: Crawl) -> Iterator[str]:
    allowed = {url for url, is_allowed in served.allowed.items() if is_allowed}
    sides = (ours, builtin)
    rows = {
        "pages fetched": [len(side.fetched) for side in sides],
        "  of them disallowed": [len(side.fetched - allowed) for side in sides],
        "allowed pages missed": [len(allowed - side.fetched) for side in sides],
        "pages refused": [len(side.refused) for side in sides],
        "requests for robots.txt": [side.robots.total() for side in sides],
    }
    yield f"{'':26}{'scrapy_robots1994':>18}{'built-in':>12}"
    for label, (left, right) in rows.items():
        yield f"  {label:24}{left:>18}{right:>12}"
    only = {
        "Fetched only by the built-in middleware": builtin.fetched - ours.fetched,
        "Fetched only by scrapy_robots1994": ours.fetched - builtin.fetched,
    }
    for label, urls in only.items():
        yield ""
        yield f"{label}: {len(urls)}"
        for name, paths in by_host(served, urls):
            yield from _by_permission(served, name, paths)


def _by_permission(served: Served, name: str, paths: list[str]) -> Iterator[str]:
    about = next(host.about for host in HOSTS if host.name == name)
    origin = served.origins[name]
    for word, is_allowed in (("disallowed", False), ("allowed", True)):
        some = [path for path in paths if served.allowed[origin + path] is is_allowed]
        if some:
            yield wrapped(f"  {name:12}", f"{word}:  {'  '.join(some)}   ({about})")


def mistakes(served: Served, crawl: Crawl) -> list[str]:
    found = []
    for url, is_allowed in served.allowed.items():
        page = " ".join(served.short(url))
        if is_allowed and url not in crawl.fetched:
            found.append(f"{page} is allowed and was not fetched")
        if not is_allowed and url in crawl.fetched:
            found.append(f"{page} is disallowed and was fetched")
        if not is_allowed and url not in crawl.refused:
            found.append(f"{page} is disallowed and was not reported as refused")
    return found
