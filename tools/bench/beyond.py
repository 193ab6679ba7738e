"""Races of features that go beyond 1994: page directives, the extended dialect."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from protego import Protego
from scrapy.http import HtmlResponse

from scrapy_robots1994 import RobotsTxt, page_directives
from tests.support import mixed_site
from tests.support.crawl import crawl
from tools.bench.crawls import SETTINGS, serving
from tools.bench.timing import OURS, Result, exponent, race

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_robots1994 import Directives, RobotRules

EXTENDED = "the same in the extended dialect"
ON = f"{OURS}, ROBOTS1994_PAGES on"
ROBOT = "examplebot/1.0 (+http://example.test)"
FILLING = "<p class=item>Some words of a page, and <a href=/x>a link</a>.</p>\n" * 150
TAGS = {
    "no word": "",
    "index, follow": '<meta name="robots" content="index, follow">',
    "noindex": '<meta name="robots" content="noindex">',
}


def pages(rounds: int, count: int) -> Iterator[Result]:
    """Compare the CPU per page of crawls that obey page directives and crawls that
    do not, on a site without and one with them; and of reading a page of 10 KB.
    """
    with serving() as port:
        silent = {"port": port, "hosts": [("site.test", 1)], "pages": count}
        mixed = {"port": port, "hosts": [("mixed.test", 1)], "pages": mixed_site.PAGES}
        cpu = _on_and_off(rounds, "MeasuredSpider", silent)
        yield Result(f"a page of {count:,} that say nothing: CPU", "s", cpu, ON)
        what = f"a page of {mixed_site.PAGES:,} that are mixed"
        cpu = _on_and_off(rounds, "MeasuredSpider", mixed)
        yield Result(f"{what}, none looked into by the spider: CPU", "s", cpu, ON)
        cpu = _on_and_off(rounds, "LinkFollowingSpider", mixed)
        yield Result(f"{what}, links followed: CPU", "s", cpu, ON)
    reads = {name: partial(_read_directives, _body(tag)) for name, tag in TAGS.items()}
    values = race(reads, rounds=max(rounds, 5))
    yield Result("a look at a page of 10 KB", "s", {OURS: values["no word"], **values})


def _on_and_off(
    rounds: int, spider: str, args: dict[str, Any]
) -> dict[str, list[float]]:
    """Return CPU seconds per fetched page, measured alternately; check what was fetched."""
    cpu: dict[str, list[float]] = {OURS: [], ON: []}
    for number in range(rounds):
        for side in list(cpu)[:: -1 if number % 2 else 1]:
            result = crawl(
                spider=f"tools.bench.spiders:{spider}",
                spider_args=args,
                settings=SETTINGS | {"ROBOTS1994_PAGES": side == ON},
                timeout=1_800,
            )
            *items, measured = result.items
            if spider == "LinkFollowingSpider":
                check(measured["seen"], items, is_on=side == ON)
            cpu[side].append(measured["cpu"] / measured["fetched"])
    return cpu


def check(seen: list[int], items: list[dict[str, int]], *, is_on: bool) -> None:
    """Refuse to time a crawl of the mixed site that fetched or exported anything else.

    Raises `RuntimeError`.
    """
    everything = frozenset(range(1, mixed_site.PAGES + 1))
    fetched = mixed_site.reachable() if is_on else everything
    indexed = mixed_site.indexed() if is_on else everything
    found = sorted(item["page"] for item in items)
    if (seen, found) != (sorted(fetched), sorted(indexed)):
        message = f"fetched {len(seen)} and exported {len(found)} pages, which is wrong"
        raise RuntimeError(message)


def _body(tag: str) -> bytes:
    """Return a page of 10 KB with a tag."""
    return f"<html><head>{tag}</head><body>{FILLING}</body></html>".encode()


def _read_directives(body: bytes) -> Directives:
    """Read the directives of a new response, which has no selector yet."""
    return page_directives(HtmlResponse("http://h.example/", body=body), ROBOT)


def _ask(rules: RobotRules, urls: Sequence[str]) -> None:
    """Decide about all *urls*."""
    for url in urls:
        rules.allowed(url)


def extended(
    files: Sequence[bytes], rounds: int, rules: Sequence[int]
) -> Iterator[Result]:
    """Parse the corpus and compile its rules; time one question by the number of rules."""
    ruled = {
        OURS: lambda: [RobotsTxt.parse(it).rules(ROBOT) for it in files],
        EXTENDED: lambda: [
            RobotsTxt.parse(it, dialect="extended").rules(ROBOT) for it in files
        ],
        "Protego": lambda: [
            Protego.parse(it.decode("utf-8", "ignore")) for it in files
        ],
    }
    values = race(ruled, rounds=rounds, per=len(files))
    yield Result("parse and rule, a file of the corpus", "s", values, "Protego")
    points = []
    for number in rules:
        lines = "".join(
            f"{'Allow' if n % 2 else 'Disallow'}: /{n % 97}/{n}\n"
            for n in range(number)
        )
        robots = RobotsTxt.parse(f"User-agent: *\n{lines}", dialect="extended")
        compiled = robots.rules(ROBOT)
        urls = [f"http://h.example/{n % 97}/{n}/x" for n in range(1_000)]
        found = race(
            {OURS: partial(_ask, compiled, urls)}, rounds=rounds, per=len(urls)
        )
        result = Result(f"a question in extended, {number:,} rules", "s", found)
        points.append((float(number), result.median(OURS)))
        yield result
    grows = {"exponent of the fitted power law (0 is flat)": round(exponent(points), 3)}
    yield Result(
        "the same, as the rules grow", "s", {OURS: [points[-1][1]]}, notes=grows
    )
