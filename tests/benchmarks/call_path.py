"""Trace the calls of a request through the package:

python -m tests.benchmarks.call_path [--calls]

It traces from `process_request` to the verdict, for a policy that is fresh in memory
(allowed and refused) and for a first fetch. It prints the number of files, how often one
is entered from another, how many of these entries return to an earlier file, and how many
climb from a lower layer to a higher one; with `--calls` also each entry.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest

import scrapy_robots1994
from scrapy_robots1994.crawl.requests import OWN_REQUEST
from scrapy_robots1994.origin import Origin
from tests.benchmarks.requests import middleware_with
from tests.support.crawl import crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from scrapy.crawler import Crawler

ROOT = str(Path(scrapy_robots1994.__file__).parent)
LAYERS = (
    ("origin", "errors", "escaping"),
    ("parser",),
    ("checks", "directives"),
    ("robotstxt",),
    ("policy", "compare", "lint"),
    ("stores",),
    ("crawl",),
    ("commands",),
)
"""The layers from the bottom, as in pyproject.toml."""

STAT = "test/call_path"


@dataclass(slots=True)
class CallPath:
    """The entries into files of the package, each as file, function and caller."""

    entries: list[tuple[str, str, str]] = field(default_factory=list)
    _last: str = ""
    # Resuming a coroutine is not a new call; the list keeps frames alive, so ids are unique.
    _frames: list[FrameType] = field(default_factory=list)
    _seen: set[int] = field(default_factory=set)

    def record(self, frame: FrameType, event: str, _: object) -> None:
        """Record a call, as a profile function of `sys.setprofile`."""
        name = _file_of(frame)
        if event != "call" or not name or id(frame) in self._seen:
            return
        self._seen.add(id(frame))
        self._frames.append(frame)
        caller = _caller_of(frame) or self._last
        self._last = name
        if caller != name:
            self.entries.append((name, frame.f_code.co_name, caller))


def summary(entries: list[tuple[str, str, str]]) -> str:
    """Return the counts of *entries* in one line."""
    files = {name for name, *_ in entries}
    climbs = sum(
        bool(caller) and layer(name) > layer(caller) for name, _, caller in entries
    )
    return (
        f"{len(files)} files, entered {len(entries)} times, "
        f"{len(entries) - len(files)} returns, {climbs} climbs"
    )


def layer(name: str) -> int:
    """Return the number of the layer of a file, from the bottom."""
    top = name.partition("/")[0].removesuffix(".py")
    return next(number for number, names in enumerate(LAYERS) if top in names)


def _file_of(frame: FrameType) -> str:
    """Return the file of *frame* in the package, or an empty string."""
    path = frame.f_code.co_filename
    name = path[len(ROOT) + 1 :] if path.startswith(ROOT) else ""
    return "" if name == "__init__.py" else name


def _caller_of(frame: FrameType) -> str:
    """Return the file of the package that called *frame*, directly or through others."""
    caller = frame.f_back
    while caller is not None and not _file_of(caller):
        caller = caller.f_back
    return "" if caller is None else _file_of(caller)


@contextmanager
def traced() -> Iterator[CallPath]:
    """Trace the calls of this thread while the block runs."""
    path = CallPath()
    sys.setprofile(path.record)
    try:
        yield path
    finally:
        sys.setprofile(None)


def fresh(target: str) -> CallPath:
    """Trace a request whose policy is fresh in memory."""
    middleware = middleware_with([Origin("http", "a.test", 80)])

    async def process() -> None:
        with suppress(IgnoreRequest):
            await middleware.process_request(Request(f"http://a.test{target}"))

    # The first request compiles the rules.
    asyncio.run(process())
    with traced() as path:
        asyncio.run(process())
    return path


def trace_first_fetch(crawler: Crawler) -> None:
    """Trace the first request until its page is requested; a hook of crawls."""
    path = CallPath()

    def opened() -> None:
        sys.setprofile(path.record)

    def reached(request: Request) -> None:
        if OWN_REQUEST not in request.meta:
            sys.setprofile(None)
            assert crawler.stats is not None
            crawler.stats.set_value(STAT, path.entries)

    crawler.signals.connect(opened, signals.spider_opened, weak=False)
    crawler.signals.connect(reached, signals.request_reached_downloader, weak=False)


def first_fetch() -> list[tuple[str, str, str]]:
    """Return the entries of a request that causes a fetch of robots.txt."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        result = crawl(
            [site.url("/page")], hook="tests.benchmarks.call_path:trace_first_fetch"
        )
    found: Any = result.stats[STAT]
    return [tuple(entry) for entry in found]


def main(arguments: list[str]) -> None:
    """Print the counts of each request."""
    requests = {
        "fresh, allowed": fresh("/page").entries,
        "fresh, refused": fresh("/cgi-bin/x").entries,
        "first fetch": first_fetch(),
    }
    for name, entries in requests.items():
        write = sys.stdout.write
        write(f"{name}: {summary(entries)}\n")
        if "--calls" in arguments:
            files = dict.fromkeys(chain(*((it[0],) for it in entries)))
            write(f"  files: {', '.join(files)}\n")
            for entered, function, caller in entries:
                write(f"  {caller or 'Scrapy'} -> {entered}: {function}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
