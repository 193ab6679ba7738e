"""Tells what came of the walks, in lines of at most 100 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tour.town_map import TOWN
from tour.walking import REPORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tour.opening import Opened
    from tour.walking import Walk

WIDTH = 100
INDENT = " " * 12
SHOWN_STATS = ("robotstxt/", "robots1994/")


def wrapped(first: str, text: str, indent: str = INDENT) -> str:
    """Return ``first`` and ``text`` behind it, going on below ``indent``."""
    return textwrap.fill(
        f"{first}{text}",
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def by_place(town: Opened, urls: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each place that has some of the URLs, with their paths, in town order."""
    wanted = set(urls)
    for place in TOWN:
        ours = [page.path for page in place.pages]
        paths = [path for path in ours if town.origins[place.name] + path in wanted]
        if paths:
            yield place.name, paths


def the_town(town: Opened) -> Iterator[str]:
    """Yield the hosts and what is special about each."""
    pages, closed = len(town.welcome), sum(not may for may in town.welcome.values())
    yield f"The town: {len(TOWN)} hosts, {pages} pages, {closed} of them closed"
    yield ""
    for place in TOWN:
        origin = town.origins[place.name].removeprefix("http://")
        yield f"  {place.name:10}{origin:18}{place.about}"


def fetched(town: Opened, walk: Walk) -> Iterator[str]:
    """Yield the pages that were fetched, a line a host."""
    yield f"Fetched: {len(walk.fetched)} pages"
    for name, paths in by_place(town, walk.fetched):
        yield wrapped(f"  {name:10}", "  ".join(paths))


def refused(town: Opened, walk: Walk) -> Iterator[str]:
    """Yield the pages that were refused, each with the reason given."""
    yield f"Refused: {len(walk.refused)} pages"
    for name, paths in by_place(town, walk.refused):
        reasons = [walk.refused[town.origins[name] + path] for path in paths]
        for reason in dict.fromkeys(reasons):
            some = [p for p, why in zip(paths, reasons, strict=True) if why == reason]
            yield wrapped(f"  {name:10}", "  ".join(some))
            yield wrapped(INDENT, reason)
    for name, paths in by_place(town, walk.lost):
        yield wrapped(f"  {name:10}", f"lost: {'  '.join(paths)}")


def asked(walk: Walk) -> Iterator[str]:
    """Yield how often each robots.txt was asked for."""
    yield f"Requests for robots.txt: {walk.robots.total()}"
    counts = [f"{place.name}:{walk.robots[place.name]}" for place in TOWN]
    yield wrapped("  ", ",  ".join(counts), "  ")


def stats(walk: Walk) -> Iterator[str]:
    """Yield the stats about robots.txt."""
    yield "Stats"
    shown = sorted(key for key in walk.stats if key.startswith(SHOWN_STATS))
    width = max(map(len, shown), default=0)
    for key in shown:
        yield f"  {key:{width}}{walk.stats[key]:>6}"


def warnings(walk: Walk) -> Iterator[str]:
    """Yield what the log warned of."""
    yield f"Warnings in the log: {len(walk.warnings)}"
    for warning in walk.warnings:
        yield wrapped("  ", warning, "    ")


def compared(walk: Walk) -> Iterator[str]:
    """Yield what the built-in's parser would have decided, and where to read why."""
    key = "robots1994/compare/"
    shown = sorted(it for it in walk.stats if it.startswith(key))
    for name in shown:
        parser, way = name.removeprefix(key).split("/")
        yield f"  {parser}  {way:9}{walk.stats[name]:>6}"
    yield ""
    yield f"The report: {REPORT.parent.name}/{REPORT.name} (opens from disk)"


def side_by_side(town: Opened, ours: Walk, builtin: Walk) -> Iterator[str]:
    """Yield both walks in columns, then what each fetched that the other did not."""
    may = {url for url, welcome in town.welcome.items() if welcome}
    rows = {
        "pages fetched": [len(walk.fetched) for walk in (ours, builtin)],
        "  of them closed": [len(walk.fetched - may) for walk in (ours, builtin)],
        "open pages missed": [len(may - walk.fetched) for walk in (ours, builtin)],
        "pages refused": [len(walk.refused) for walk in (ours, builtin)],
        "requests for robots.txt": [walk.robots.total() for walk in (ours, builtin)],
    }
    yield f"{'':26}{'scrapy_robots1994':>18}{'built-in':>12}"
    for label, (left, right) in rows.items():
        yield f"  {label:24}{left:>18}{right:>12}"
    only = {
        "Fetched by the built-in alone": builtin.fetched - ours.fetched,
        "Fetched by scrapy_robots1994 alone": ours.fetched - builtin.fetched,
    }
    for label, urls in only.items():
        yield ""
        yield f"{label}: {len(urls)}"
        for name, paths in by_place(town, urls):
            yield from _judged(town, name, paths)


def _judged(town: Opened, name: str, paths: list[str]) -> Iterator[str]:
    """Yield the paths of one place, the closed and the open ones apart."""
    about = next(place.about for place in TOWN if place.name == name)
    for word, may in (("closed", False), ("open", True)):
        some = [
            path for path in paths if town.welcome[town.origins[name] + path] is may
        ]
        if some:
            yield wrapped(f"  {name:10}", f"{word}:  {'  '.join(some)}   ({about})")


def mistakes(town: Opened, walk: Walk) -> list[str]:
    """Return what the walk did against the town's expectations; empty if nothing."""
    found = []
    for url, may in town.welcome.items():
        place = " ".join(town.short(url))
        if may and url not in walk.fetched:
            found.append(f"{place} is open and was not fetched")
        if not may and url in walk.fetched:
            found.append(f"{place} is closed and was fetched")
        if not may and url not in walk.refused:
            found.append(f"{place} is closed and was not noted as refused")
    return found
