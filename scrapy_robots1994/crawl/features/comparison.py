"""`ROBOTS1994_COMPARE`: compare each decision of a crawl with those of other parsers.

As in Scrapy's middleware, the parsers run on the event loop. When the crawl closes, a thread finds
out why parsers decided differently.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from logging import ERROR, INFO
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals

from scrapy_robots1994.compare.questions import Question
from scrapy_robots1994.compare.report import (
    CRAWL,
    DRY_RUN,
    Report,
    as_text,
    prepare,
    write_report,
)
from scrapy_robots1994.compare.rows import MIDDLEWARE, Site, Way
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.parsers import other_parsers
from scrapy_robots1994.crawl.features.paths import fill_in_path, must_be_writable
from scrapy_robots1994.crawl.log import count, counted, log_line, log_lines
from scrapy_robots1994.crawl.observers import Observer
from scrapy_robots1994.crawl.requests import RobotName, spider_of
from scrapy_robots1994.crawl.setting_types import PARSER_SETTING
from scrapy_robots1994.crawl.threads import result_of, run_in_thread
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.parser.user_agent import robot_text
from scrapy_robots1994.policy.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import Verdict

MAX_BYTES = 64_000_000
"""The maximum total size of the compared files, in bytes. When it is reached, decisions for
further files are not compared.
"""

# The approximate memory of a `Site` without its file
SITE_BYTES = 2_000

MAX_KEPT = 5
"""At most this many example decisions are kept for each combination of site, parser and `Way`."""

CLOSE_SECONDS = 20.0
"""A closing crawl stops looking for the causes of differences after this many seconds."""


class CrawlComparison(Observer):
    """Counts how other parsers would have decided, and writes a report when the crawl closes.

    In a dry run, `DryRun` calls `ask` with what Scrapy's middleware did.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._dialect = settings.dialect
        self._is_dry_run = settings.dry_run
        self._robot = RobotName(crawler)
        # A dry run always includes the parser of Scrapy's middleware.
        wanted = (PARSER_SETTING,) * settings.dry_run + settings.compare
        # Load the parsers now, so that the crawl does not start if one cannot be loaded.
        self._others = other_parsers(wanted, crawler)
        if settings.dry_run:
            first = next(iter(self._others.values()))
            self._others = {MIDDLEWARE: first} | self._others
        self._sites: dict[Origin, list[Site]] = {}
        """The files of each origin, oldest first."""
        self._room = MAX_BYTES
        self._decisions = self._skipped = 0
        self.findings: Collection[Deferred[Site | None]] = ()
        """In a dry run, the policy lookups that the report waits for."""
        self._path: Path | None = None
        if settings.compare_report is not None:
            name, spider = "ROBOTS1994_COMPARE_REPORT", spider_of(crawler)
            self._path = fill_in_path(name, settings.compare_report, spider)
            with must_be_writable(name, self._path):
                prepare(self._path)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def decided(
        self,
        request: Request,
        origin: Origin,  # noqa: ARG002 - an argument of every observer
        found: object,
        verdict: Verdict | None,  # noqa: ARG002 - see above
    ) -> None:
        if isinstance(found, Policy):
            robot = self._robot.of(request)
            self.ask(self.site_of(found), question(request.url, robot))

    def site_of(self, policy: Policy) -> Site | None:
        """Return the `Site` for decisions of *policy*, or None if `MAX_BYTES` is reached."""
        origin, stated = policy.origin, policy.stated
        sites = self._sites.get(origin, [])
        for site in reversed(sites):
            if site.stated is stated or site.stated == stated:
                return site
        self._room -= stated.size + SITE_BYTES
        if self._room < 0:
            return None
        name = f"{origin} (file {len(sites) + 1})" if sites else str(origin)
        site = Site(name, stated, self._others, self._dialect, MAX_KEPT)
        self._sites[origin] = [*sites, site]
        return site

    def ask(
        self,
        site: Site | None,
        asked: Question,
        did: str = "",
        *,
        is_early: bool = False,
    ) -> Site | None:
        """Compare the decisions on *asked*, unless *site* is None. Return *site*."""
        self._decisions += 1
        if site is None:
            self._skipped += 1
        else:
            site.ask(asked, did, is_early=is_early)
        return site

    def _report(self) -> Report:
        end = monotonic() + CLOSE_SECONDS
        sites = [site for _, some in sorted(self._sites.items()) for site in some]
        name = spider_of(self._crawler).name
        report = Report(
            subject=f"the crawl of {escape_control_chars(name)}",
            source=DRY_RUN if self._is_dry_run else CRAWL,
            dialect=self._dialect,
            robots=robot_text(self._robot.usual),
            asked="one for each compared decision",
            parsers=[*self._others],
            sites=[it.result(with_causes=monotonic() < end) for it in sites],
        )
        notes = []
        if self._is_dry_run:
            opened = report.count(MIDDLEWARE, Way.STRICTER)
            closed = report.count(MIDDLEWARE, Way.LAXER)
            notes.append(
                f"Dry run, {counted(self._decisions, 'request')}: scrapy_robots1994 would "
                f"allow {opened:,} that Scrapy refused, and refuse {closed:,} that Scrapy "
                f"allowed; sent while robots.txt was on its way: {self._races:,}"
            )
        if self._skipped:
            notes.append(f"Not compared: {counted(self._skipped, 'decision')}")
        return replace(report, notes=notes)

    @property
    def _races(self) -> int:
        return sum(site.races for some in self._sites.values() for site in some)

    def _count(self, report: Report) -> None:
        for parser in report.parsers:
            for way in Way:
                if number := report.count(parser, way):
                    parts = {"parser": parser, "direction": way.value}
                    count(self._crawler, stats.COMPARED, number, **parts)
        if self._skipped:
            count(self._crawler, stats.UNCOMPARED, self._skipped)
        if self._is_dry_run:
            count(self._crawler, stats.RACES, self._races)

    async def _closed(self) -> None:
        for finding in self.findings:
            await result_of(finding)
        # Run this in a thread, because other crawls may share the event loop.
        report = await run_in_thread(self._report)
        self._count(report)
        for note in report.notes:
            log_line(self._crawler, INFO, "%s", note)
        log_lines(self._crawler, INFO, f"robots.txt compared: {as_text(report)}")
        if self._path is None:
            return
        try:
            await run_in_thread(partial(write_report, report, self._path))
        except OSError as error:
            text = "The comparison could not be written to %s: %s"
            log_line(self._crawler, ERROR, text, str(self._path), str(error))
        else:
            text = "The comparison was written to %s"
            log_line(self._crawler, INFO, text, str(self._path))


def question(url: str, robot: str | bytes, others_robot: str | bytes = "") -> Question:
    name, other = robot_text(robot), robot_text(others_robot)
    return Question(redact_credentials(url), name, "" if other == name else other)
