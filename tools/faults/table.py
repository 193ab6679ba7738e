"""The table of all faults, measured in three crawls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy.settings import default_settings

from tests.support.site import Site
from tools.faults import contents, redirects, robots
from tools.faults.fault import Fault, Outcome, PageFault, is_right
from tools.faults.measure import HURRIED, Measured, measure, slug_of
from tools.faults.pages import page_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

# Scrapy 2.16 has a setting for it, before that it is a factory.
VERIFYING: dict[str, Any] = (
    {"DOWNLOAD_VERIFY_CERTIFICATES": True}
    if hasattr(default_settings, "DOWNLOAD_VERIFY_CERTIFICATES")
    else {
        "DOWNLOADER_CLIENTCONTEXTFACTORY": "scrapy.core.downloader.contextfactory."
        "BrowserLikeContextFactory"
    }
)

OPEN_ROWS = ("R1 empty", "R4")
"""Rows by which /closed may be fetched."""


@dataclass(frozen=True, slots=True)
class Group:
    """Faults of one kind."""

    title: str
    faults: Sequence[Fault | PageFault]


@dataclass(frozen=True, slots=True)
class Table:
    """All faults, their outcomes, and the crawls they come from."""

    groups: tuple[Group, ...]
    crawls: tuple[Measured, ...]

    @property
    def faults(self) -> list[Fault | PageFault]:
        """Return every fault of every group."""
        return [fault for group in self.groups for fault in group.faults]

    def outcome(self, fault: Fault | PageFault) -> Outcome:
        """Return the outcome of *fault*."""
        crawled = (crawl.outcomes for crawl in self.crawls)
        return next(found[fault.slug] for found in crawled if fault.slug in found)

    @property
    def wrong(self) -> list[tuple[Fault | PageFault, Outcome]]:
        """Return the faults whose outcome is not that of their row."""
        pairs = [(fault, self.outcome(fault)) for fault in self.faults]
        return [(fault, end) for fault, end in pairs if not is_right(fault, end)]

    @property
    def violations(self) -> list[str]:
        """Return the requested URLs that their file disallows."""
        may = {
            f.slug for f in self.faults if isinstance(f, Fault) and f.row in OPEN_ROWS
        }
        return [
            f"{seen.host}{seen.target}"
            for crawl in self.crawls
            for seen in crawl.seen
            if seen.target == "/closed" and slug_of(f"//{seen.host}") not in may
        ]


def whole_table() -> Table:
    """Crawl all faults and return their outcomes."""
    tls = (Site(tls="valid"), Site(tls="expired"), Site(tls="wrong-name"))
    with tls[0] as site, tls[1] as expired, tls[2] as wrong_name:
        on_robots = {
            "The transfer": robots.TRANSFERS,
            "Content codings": contents.CODINGS,
            "Headers": contents.HEADERS,
            "The file": contents.BODIES,
            "Redirects": redirects.redirects(site),
            "No HTTP server": redirects.without_server(site),
            "Statuses": redirects.statuses(),
        }
        on_pages = page_faults(site)
        faults = [fault for several in on_robots.values() for fault in several]
        first, slow = (
            measure(
                site,
                [fault for fault in faults if fault.hangs is hangs],
                [fault for fault in on_pages if fault.hangs is hangs],
                settings=HURRIED if hangs else None,
            )
            for hangs in (False, True)
        )
        verified = redirects.certificates(expired, wrong_name)
        others = (expired, wrong_name)
        second = measure(site, verified, others=others, settings=VERIFYING)
    groups = [Group(title, several) for title, several in on_robots.items()]
    groups += [Group("Certificates", verified), Group("Pages", on_pages)]
    return Table(tuple(groups), (first, slow, second))
