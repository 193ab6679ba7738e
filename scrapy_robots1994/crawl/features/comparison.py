"""`ROBOTS1994_COMPARE`: other parsers are asked about each decision of a crawl, as it falls.

They are asked on the event loop, where Scrapy's middleware asks its parser too. Lines and
causes are looked for when the crawl closes, in a thread.
"""

from __future__ import annotations

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
    describe,
    prepare,
    write_report,
)
from scrapy_robots1994.compare.rows import (
    MIDDLEWARE,
    Comparison,
    Did,
    File,
    Site,
    Way,
    is_race,
    word_of,
)
from scrapy_robots1994.compare.why import RACE
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.parsers import other_parsers
from scrapy_robots1994.crawl.features.paths import fill_in_path
from scrapy_robots1994.crawl.log import count, counted, log_line, log_lines
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.setting_types import PARSER_SETTING
from scrapy_robots1994.crawl.threads import result_of, run_in_thread
from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.parser.user_agent import robot_text
from scrapy_robots1994.policy.policy import Policy

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import Verdict
    from scrapy_robots1994.policy.answer import Answer

MAX_BYTES = 64_000_000
"""The most bytes of files that are compared; of further files, decisions are skipped."""

# What a site costs besides its file, roughly.
SITE_BYTES = 2_000

MAX_KEPT = 5
"""The most answers of a site, a parser and a way that may become rows."""

CLOSE_SECONDS = 20.0
"""Seconds after which a closing crawl looks for no further causes."""


class CrawlComparison:
    """Counts how other parsers would have decided, and reports it when the crawl closes.

    In a dry run, `ask` is called with what Scrapy's middleware did.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._dialect = settings.dialect
        self._is_dry_run = settings.dry_run
        self._robot = RobotName(crawler)
        # A dry run always asks the parser of the middleware that it watches.
        wanted = (PARSER_SETTING,) * settings.dry_run + settings.compare
        # Now, so that no crawl starts with a parser that cannot be loaded.
        self._others = other_parsers(wanted, crawler)
        self._sites: dict[File, Site] = {}
        self._room = MAX_BYTES
        self.decisions = 0
        """Decisions so far. In a dry run, some are never compared: our policy is not known."""
        self._asked = self._races = 0
        self.findings: list[Deferred[None]] = []
        """What the report waits for: in a dry run, our policies."""
        self._path = _report_path(settings.compare_report, crawler.spider)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def decided(
        self,
        request: Request,
        origin: Origin,  # noqa: ARG002 - an argument of every observer
        found: object,
        verdict: Verdict | None,
    ) -> None:
        """Ask the other parsers, if *found* is a policy."""
        if isinstance(found, Policy) and verdict is not None:
            self.decisions += 1
            self.ask(found, question(request.url, self._robot.of(request)), verdict)

    def fetched(self, policy: Policy, answer: Answer) -> None:
        """A policy is looked at when it decides."""

    def ask(
        self, policy: Policy, asked: Question, verdict: Verdict, did: Did | None = None
    ) -> None:
        """Put the question *asked*, of which *verdict* is our decision, to the others."""
        file = file_of(policy)
        if file not in self._sites:
            self._room -= len(file.body) + SITE_BYTES
            if self._room < 0:
                return
            self._sites[file] = Site(file, self._others, self._dialect, MAX_KEPT)
        answers = self._sites[file].ask(asked, word_of(verdict.allowed), did)
        self._asked += 1
        self._races += is_race(answers)

    def _finish(self) -> Report:
        """Look for the causes, and return the report."""
        end = monotonic() + CLOSE_SECONDS
        sites = [
            it.result(with_causes=monotonic() < end)
            for _, it in sorted(self._sites.items(), key=lambda item: item[0].site)
        ]
        names = [MIDDLEWARE] * self._is_dry_run + [*self._others]
        skipped = self.decisions - self._asked
        name = getattr(self._crawler.spider, "name", None) or "a spider"
        return Report(
            f"the crawl of {escape_control_chars(name)}",
            Comparison(self._dialect, names, sites, skipped),
            describe(
                self._dialect,
                robots=robot_text(self._robot.usual),
                questions="the requests of a crawl, each as often as it was decided",
            ),
            DRY_RUN if self._is_dry_run else CRAWL,
            [f"{counted(self._races, 'request')} {RACE.words}."] * bool(self._races),
        )

    def _in_short(self, compared: Comparison) -> str:
        """Return what a dry run would change, in one sentence."""
        opened = compared.count(MIDDLEWARE, Way.STRICTER)
        closed = compared.count(MIDDLEWARE, Way.LAXER)
        changes = [f"allow {opened:,} that Scrapy refused"] * bool(opened)
        who = "it" if opened else "Scrapy"
        changes += [f"refuse {closed:,} that {who} allowed"] * bool(closed)
        late, unknown = self._races, compared.skipped
        text = (
            f"Dry run, {counted(self.decisions, 'request')}: scrapy_robots1994 would "
        )
        text += ", and ".join(changes) or "change none"
        if late:
            verb = "was" if late == 1 else "were"
            text += f"; {late:,} {verb} sent while robots.txt was on its way"
        if unknown:
            text += f"; {unknown:,} {'is' if unknown == 1 else 'are'} not known"
        return text

    async def _closed(self) -> None:
        for finding in self.findings:
            await result_of(finding)
        # In a thread, because other crawls may share the event loop.
        report = await run_in_thread(self._finish)
        compared = report.comparison
        for name in compared.parsers:
            for way in Way:
                if number := compared.count(name, way):
                    parts = {"parser": name, "direction": way.value}
                    count(self._crawler, stats.COMPARED, number, **parts)
        if compared.skipped:
            count(self._crawler, stats.UNCOMPARED, compared.skipped)
        if self._is_dry_run:
            count(self._crawler, stats.RACES, self._races)
            log_line(self._crawler, INFO, "%s", self._in_short(compared))
        table = f"robots.txt compared, parser by parser:\n{as_text(report)}"
        log_lines(self._crawler, INFO, table)
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
    """Return the question whether *robot* may retrieve *url*."""
    name, other = robot_text(robot), robot_text(others_robot)
    return Question(redact_credentials(url), name, "" if other == name else other)


def _report_path(path: str | None, spider: Spider | None) -> Path | None:
    """Return *path* with its placeholders filled in, and create its folder.

    Raise `SettingsError` if no file can be written there: the crawl fails at its start, not
    at its end.
    """
    if path is None:
        return None
    filled = fill_in_path("COMPARE_REPORT", path, spider)
    try:
        prepare(filled)
    except OSError as error:
        shown = escape_control_chars(str(filled), 400)
        raise SettingsError(
            f"ROBOTS1994_COMPARE_REPORT: cannot write {shown}: {error.strerror or error}; "
            "write the path of a file in a folder to which the crawl may write."
        ) from None
    return filled


def file_of(policy: Policy) -> File:
    """Return what other parsers read in place of *policy*: an empty file, if none decides."""
    label = str(policy.origin)
    if policy.robots is not None:
        return File(label, policy.robots.body)
    uniform = policy.rules("").verdict(f"{label}/")
    return File(label, b"", uniform, policy.status)
