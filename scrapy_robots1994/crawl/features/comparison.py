"""`ROBOTS1994_COMPARE`: other parsers are asked about each decision of a crawl, as it falls.

They are asked on the event loop, where Scrapy's middleware asks its parser too. Lines and
causes are looked for when the crawl closes, in a thread.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import partial
from logging import ERROR, INFO
from time import monotonic
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache
from scrapy import signals
from scrapy.utils.python import global_object_name

from scrapy_robots1994.compare.questions import Question
from scrapy_robots1994.compare.report import (
    Report,
    as_text,
    check_folder,
    describe,
    write_report,
)
from scrapy_robots1994.compare.rows import (
    ALLOWS,
    FORBIDS,
    MIDDLEWARE,
    Comparison,
    Did,
    File,
    Parse,
    Reading,
    Site,
    Way,
)
from scrapy_robots1994.compare.why import Cause
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.parsers import load_parser
from scrapy_robots1994.crawl.features.paths import fill_in_path
from scrapy_robots1994.crawl.log import count, counted, log_line, log_lines
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.setting_types import PARSER_SETTING
from scrapy_robots1994.crawl.threads import run_in_thread
from scrapy_robots1994.errors import MissingExtra, SettingsError, needs_extra
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.parser.user_agent import robot_text
from scrapy_robots1994.policy.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import Verdict
    from scrapy_robots1994.policy.answer import Answer
    from scrapy_robots1994.robotstxt import RobotsTxt

MAX_READ_BYTES = 64_000_000
"""The most bytes of files that are kept as the other parsers read them."""

CLOSE_SECONDS = 20.0
"""A closing crawl does not begin to look for causes after this time."""

# What a reading costs besides the body, roughly.
_READING_BYTES = 500


class CrawlComparison:
    """Counts how other parsers would have decided, and reports it when the crawl closes.

    In a dry run, `ask` is called with what Scrapy's middleware did.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._is_dry_run = settings.dry_run
        self._robot = RobotName(crawler)
        # A dry run always asks the parser of the middleware that it watches.
        wanted = (PARSER_SETTING,) * settings.dry_run + settings.compare
        # Now, so that no crawl starts with a parser that cannot be loaded.
        self._others = other_parsers(wanted, crawler)
        names = [MIDDLEWARE] * settings.dry_run + [*self._others]
        self._comparison = Comparison(settings.dialect, names)
        self._robots: set[str] = set()
        self.watched = 0
        """How many decisions of Scrapy's middleware a dry run saw."""
        self._races = 0
        self._readings: LRUCache[str, tuple[object, Reading]] = LRUCache(
            MAX_READ_BYTES, lambda it: len(it[1].file.body) + _READING_BYTES
        )
        self.path = _report_path(settings.compare_report, crawler.spider)
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
            self.ask(found, request.url, self._robot.of(request), verdict)

    def fetched(self, policy: Policy, answer: Answer) -> None:
        """A policy is looked at when it decides."""

    def ask(  # noqa: PLR0913, PLR0917 - all that is known of a decision
        self,
        policy: Policy,
        url: str,
        robot: str | bytes,
        verdict: Verdict,
        others_robot: str | bytes = "",
        did: Did | None = None,
    ) -> None:
        """Ask whether *robot* may retrieve *url*, of which *verdict* is our decision.

        In a dry run, *others_robot* is the name that Scrapy's middleware goes by, and *did*
        what it did.
        """
        name, other = robot_text(robot), robot_text(others_robot)
        self._robots.add(name)
        question = Question(
            redact_credentials(url), name, "" if other == name else other
        )
        reading = self._reading(policy)
        site = self._comparison.sites.get(reading.file.site)
        # What is not listed is only counted.
        site = site or Site(reading.file, self._comparison.dialect)
        ours = ALLOWS if verdict.allowed else FORBIDS
        asked = site.ask(reading, question, ours, did)
        self._comparison.answers.update(asked.ways.items())
        self._races += asked.is_race

    def _reading(self, policy: Policy) -> Reading:
        label = str(policy.origin)
        stated, reading = self._readings.get(label, (None, None))
        if reading is None or stated is not policy.stated:
            reading = Reading(file_of(policy), self._others)
            if label not in self._comparison.sites:
                dialect = self._comparison.dialect
                self._comparison.add(Site(reading.file, dialect))
            with suppress(ValueError):  # larger than the whole cache
                self._readings[label] = policy.stated, reading
        return reading

    def _finish(self) -> Report:
        """Look for the causes, and return the report."""
        end = monotonic() + CLOSE_SECONDS
        for site in self._comparison.sites.values():
            reading = Reading(site.file, self._others)
            site.finish(reading, with_causes=monotonic() < end)
        name = getattr(self._crawler.spider, "name", None) or "a spider"
        metadata = describe(
            self._comparison.dialect,
            robots=", ".join(sorted(self._robots)),
            questions="the requests of a crawl, each as often as it was decided",
        )
        notes = []
        if self._is_dry_run:
            metadata["dry run"] = "yes"
            seen = self._comparison.count(MIDDLEWARE)
            self._comparison.skipped = self.watched - seen
        if self._races:
            notes = [f"{counted(self._races, 'request')} {Cause.RACE.words}."]
        subject = f"the crawl of {escape_control_chars(name)}"
        return Report(
            *(subject, self._comparison, metadata),
            has_answers=True,
            is_crawl=True,
            notes=notes,
        )

    async def _closed(self) -> None:
        # In a thread, because other crawls may share the event loop.
        report = await run_in_thread(self._finish)
        compared = self._comparison
        for (name, way), number in compared.answers.items():
            parts = {"parser": name, "direction": way.value}
            count(self._crawler, stats.COMPARED, number, **parts)
        if compared.skipped:
            count(self._crawler, stats.UNCOMPARED, compared.skipped)
        if self._is_dry_run:
            count(self._crawler, stats.RACES, self._races)
            log_line(
                self._crawler,
                INFO,
                "Dry run, %s: scrapy_robots1994 would allow %d that Scrapy refused, and "
                "refuse %d that it allowed; %d %s; our decision is not known for %d",
                counted(self.watched, "request"),
                compared.count(MIDDLEWARE, Way.STRICTER),
                compared.count(MIDDLEWARE, Way.LAXER),
                self._races,
                Cause.RACE.words,
                compared.skipped,
            )
        table = f"robots.txt compared, parser by parser:\n{as_text(report)}"
        log_lines(self._crawler, INFO, table)
        if self.path is None:
            return
        shown = str(self.path)
        try:
            await run_in_thread(partial(write_report, report, self.path))
        except OSError as error:
            text = "The comparison could not be written to %s: %s"
            log_line(self._crawler, ERROR, text, shown, str(error))
        else:
            text = "The comparison was written to %s"
            log_line(self._crawler, INFO, text, shown)


def _report_path(path: str | None, spider: Spider | None) -> Path | None:
    """Return *path* with its placeholders filled in, and create its folder.

    Raise `SettingsError` if no file can be written there: the crawl fails at its start, not
    at its end.
    """
    if path is None:
        return None
    filled = fill_in_path("COMPARE_REPORT", path, spider)
    try:
        check_folder(filled)
    except OSError as error:
        shown = escape_control_chars(str(filled), 400)
        raise SettingsError(
            f"ROBOTS1994_COMPARE_REPORT: cannot write {shown}: {error.strerror or error}; "
            "write the path of a file in a folder to which the crawl may write."
        ) from None
    return filled


def obeyed_body(robots: RobotsTxt) -> bytes:
    """Return the bytes of *robots* that all parsers read: its whole lines (Ours O24)."""
    return encode(robots.text) if robots.is_truncated else robots.body


def file_of(policy: Policy) -> File:
    """Return what other parsers read in place of *policy*: an empty file, if none decides."""
    label = str(policy.origin)
    if policy.robots is not None:
        return File(label, obeyed_body(policy.robots))
    uniform = policy.rules("").verdict(f"{label}/")
    return File(label, b"", uniform, policy.status)


def other_parsers(
    wanted: Iterable[str | type],
    crawler: Any,
    setting: str = "ROBOTS1994_COMPARE",
    *,
    skips_missing: bool = False,
) -> dict[str, Parse]:
    """Return the parsers of *wanted*, a value of *setting*, by the names of their classes,
    or by their import paths if two classes are called the same.

    Raise `SettingsError` for what is no parser, and `MissingExtra` if its library is not
    installed, unless *skips_missing*.
    """
    ignored = (MissingExtra,) if skips_missing else ()
    kinds = dict.fromkeys(load_parser(it, crawler.settings, setting) for it in wanted)
    numbers = Counter(kind.__name__ for kind in kinds)
    found: dict[str, Parse] = {}
    for kind in kinds:
        with suppress(*ignored):
            with needs_extra(kind.__name__, "report"):
                try:
                    kind.from_crawler(crawler, b"")
                except ImportError:
                    raise
                except Exception:  # noqa: BLE001, S110 - counted for each file, later
                    pass
            is_only = numbers[kind.__name__] == 1
            name = kind.__name__ if is_only else global_object_name(kind)
            found[name] = partial(kind.from_crawler, crawler)
    return found
