"""20,000 requests to 2,000 origins, run by hand: no permitted page is lost.

python -m tools.faults.twenty_thousand [--origins 2000] [--pages 10] [--reactor asyncio]

Of each ten origins, robots.txt fails once at one, always at one, and is slow at one.
It prints per class what was requested and fetched, by the log of the server, and exits
with 1 if a permitted page of an origin that answered is missing, or if a
disallowed one was requested.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support import replies
from tests.support.crawl import crawl, reactors
from tests.support.site import Site

if TYPE_CHECKING:
    from tests.support.crawl import Middleware, Reactor

FILE = "User-agent: *\nDisallow: /private\n"
SLOW_SECONDS = 3.0
SOUND = replies.text(FILE)
SLOW = replies.Reply(body=FILE.encode(), delay=SLOW_SECONDS)
FAILURES = (
    replies.status(503),
    replies.reset(),
    replies.status(429, Retry_After="1"),
    replies.status(502),
)
"""The answers of origins that fail, in turn."""

CLASSES = ("fails once", "fails always", "slow", *["healthy"] * 7)
"""The class of an origin, by the last digit of its number."""


@dataclass(slots=True)
class Row:
    """The outcomes of the requests to the origins of one class."""

    permitted: int = 0
    disallowed: int = 0
    fetched: int = 0
    fetched_disallowed: int = 0
    refused: int = 0
    failed: int = 0

    def is_right(self, name: str) -> bool:
        """Return whether nothing is lost, and nothing was requested against a file."""
        lost = 0 if name == "fails always" else self.permitted - self.fetched
        return not lost and not self.fetched_disallowed


def class_of(host: str) -> str:
    """Return the class of the origin `hN.test`, perhaps with a port."""
    return CLASSES[int(host[1:].partition(".")[0]) % len(CLASSES)]


def script(site: Site, origins: int) -> None:
    """Script the origins of *site* by their class."""
    site.answer("/robots.txt", SOUND)
    for number in range(origins):
        bad = FAILURES[number // len(CLASSES) % len(FAILURES)]
        answer = {
            "fails once": [bad, SOUND],
            "fails always": [bad],
            "slow": [SLOW],
        }.get(class_of(f"h{number}.test"))
        if answer:
            site.answer("/robots.txt", answer, at=f"h{number}.test")


def measure(
    origins: int,
    pages: int,
    middleware: Middleware = "ours",
    reactor: Reactor = "asyncio",
) -> dict[str, Row]:
    """Crawl, and return the row of each class; a fifth of the pages is disallowed."""
    rows = {name: Row() for name in dict.fromkeys(CLASSES)}
    urls = []
    with Site() as site:
        script(site, origins)
        for page in range(pages):
            is_disallowed = page % 5 == 4
            folder = "private" if is_disallowed else "page"
            for number in range(origins):
                host = f"h{number}.test"
                urls.append(site.url(f"/{folder}/{page}", host=host))
                row = rows[class_of(host)]
                row.permitted += not is_disallowed
                row.disallowed += is_disallowed
        settings = {"RETRY_ENABLED": True, "LOG_LEVEL": "INFO"}
        result = crawl(
            urls,
            settings=settings,
            middleware=middleware,
            reactor=reactor,
            timeout=1_800,
            may_warn=True,
        )
        seen = Counter((it.host, it.target) for it in site.log())
    for host, target in seen:
        if target != "/robots.txt":
            row = rows[class_of(host)]
            row.fetched += target.startswith("/page")
            row.fetched_disallowed += target.startswith("/private")
    for failed in result.failed:
        row = rows[class_of(failed.url.partition("//")[2])]
        row.refused += failed.name.endswith(("ForbiddenByRobots", "IgnoreRequest"))
        row.failed += not failed.name.endswith(("ForbiddenByRobots", "IgnoreRequest"))
    return rows


def main(arguments: list[str]) -> int:
    """Print the table; return 1 if anything is lost or was fetched against a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--origins", type=int, default=2_000)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--reactor", default="asyncio", choices=reactors())
    parser.add_argument("--side", default="ours", choices=("ours", "builtin"))
    chosen = parser.parse_args(arguments)
    started = time.monotonic()
    rows = measure(chosen.origins, chosen.pages, chosen.side, chosen.reactor)
    heads = ("class", *Row.__dataclass_fields__)
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, row in rows.items():
        cells = (getattr(row, column) for column in Row.__dataclass_fields__)
        lines.append(f"| {name} | {' | '.join(map(str, cells))} |")
    took = time.monotonic() - started
    print("\n".join(lines), f"\n{chosen.side}, {took:.0f} s")  # noqa: T201 - by hand
    return int(not all(row.is_right(name) for name, row in rows.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
