"""The shadow of a crawl: ours decides, the others are asked the same about the same."""

from __future__ import annotations

import logging
import zlib
from collections import Counter
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from cachetools import LRUCache
from scrapy import signals

from scrapy_robots1994.compare import (
    ALLOWS,
    FORBIDS,
    Capture,
    Comparer,
    ComparisonReport,
    Direction,
    Explanation,
    Question,
    Totals,
    as_table,
    decision_by,
    direction_of,
    disagreement,
    our_parser,
    rank,
    read,
)
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features import report_file
from scrapy_robots1994.crawl.features.peers import peers
from scrapy_robots1994.crawl.setting_types import BUILT_IN
from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy import Spider
    from scrapy.crawler import Crawler

    from scrapy_robots1994.compare import Cause, Decision, ParsedFile
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy

logger = logging.getLogger("scrapy_robots1994")

SAMPLES = 60
"""Disagreements kept of each parser and direction, drawn at random from all."""

ORIGINS = 500
"""Origins whose files stay read by the others; past it the longest unused go."""


class _Held:
    """The file of one policy as the others read it."""

    __slots__ = ("capture", "readings", "stated")

    def __init__(
        self, policy: Policy, capture: Capture, readings: list[tuple[str, ParsedFile]]
    ) -> None:
        self.stated = policy.stated
        self.capture = capture
        self.readings = readings


class ShadowComparison:
    """Compares each decision of a crawl; counts exactly, samples boundedly.

    `kept` takes the bodies of answers whose status decides, `compare` each decision;
    at the close of the spider it logs one table and writes the report.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        options = {"dialect": settings.dialect, "reading": settings.reading}
        self._crawler = crawler
        wanted = (BUILT_IN, *settings.compare) if settings.dry_run else settings.compare
        self._others = peers(wanted, crawler)
        self._comparer = Comparer(our_parser(**options), self._others, **options)
        self._totals = Totals(SAMPLES)
        self._held: LRUCache[Origin, _Held] = LRUCache(ORIGINS)
        self._bodies: LRUCache[Origin, bytes] = LRUCache(ORIGINS)
        assert crawler.stats is not None  # noqa: S101 - set before middlewares are made
        self._count: Callable[[str], None] = crawler.stats.inc_value
        key = stats.COMPARED
        self._keys = {
            (other.name, way): key.format(parser=other.name, direction=way.value)
            for other in self._others
            for way in Direction
        }
        self.report_path = self._fill(settings.compare_report)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def _fill(self, wanted: str | None) -> Path | None:
        """Where the report goes; refused at start rather than missed at the end."""
        if wanted is None:
            return None
        report_file.check_libraries(wanted)
        try:
            return report_file.filled(wanted, self._crawler.spider)
        except ValueError as error:
            msg = f"ROBOTS1994_COMPARE_REPORT cannot be filled in: {error}."
            raise SettingsError(msg) from error

    def kept(self, origin: Origin, body: bytes) -> None:
        """Take the body of an answer that states no policy by its text."""
        self._bodies[origin] = zlib.compress(body)

    def body_of(self, policy: Policy) -> bytes | None:
        """Return the body that the other parsers read for *policy*.

        Return `None` where it is not known: of a response whose status decides, only
        the bodies of the last origins are stored.
        """
        if policy.robots is not None:
            if policy.robots.is_truncated:
                # Ours O24: all parsers read its whole lines.
                return policy.robots.text.encode("utf-8", "surrogatepass")
            return policy.robots.body
        if policy.status is None:
            # Ours R5: a failed fetch has no body, and the built-in goes on as if the
            # file were empty.
            return b""
        packed = self._bodies.get(policy.origin)
        return None if packed is None else zlib.decompress(packed)

    def compare(
        self, policy: Policy, url: str, robot: str | bytes, *, allowed: bool
    ) -> Decision | None:
        """Ask the others what *policy* was asked: may *robot* fetch *url*?

        What the first of them says; `None` if nobody could be asked.
        """
        held = self._held.get(policy.origin)
        if held is None or held.stated is not policy.stated:
            held = self._hold(policy)
        if held is None:
            self._totals.skipped += 1
            self._count(stats.UNCOMPARED)
            return None
        question = Question(
            redact_credentials(url), robot if isinstance(robot, str) else _text(robot)
        )
        ours = ALLOWS if allowed else FORBIDS
        first: Decision | None = None
        for name, reading in held.readings:
            theirs = decision_by(reading, question)
            first = first or theirs
            way = direction_of(ours, theirs)
            self._totals.counts[name, way] += 1
            self._count(self._keys[name, way])
            if way is not Direction.AGREE:
                self._sample(name, way, held.capture, question, theirs)
        return first

    def _hold(self, policy: Policy) -> _Held | None:
        """Let the others read the body of *policy*; `None` when nobody has it any
        more.
        """
        body = self.body_of(policy)
        if body is None:
            return None
        uniform = None
        if policy.robots is None:
            uniform = policy.rules("").verdict(f"{policy.origin}/")
        capture = Capture(str(policy.origin), body, uniform)
        readings = [(other.name, read(other, capture.body)) for other in self._others]
        self._totals.captures += 1
        held = self._held[policy.origin] = _Held(policy, capture, readings)
        return held

    def _sample(
        self,
        name: str,
        way: Direction,
        capture: Capture,
        question: Question,
        theirs: Decision,
    ) -> None:
        """Keep a disagreement if it is among those drawn."""
        place = rank(capture.label, question)
        if self._totals.wants((name, way, None), place):
            found = disagreement(name, way, None, capture, question, theirs)
            self._totals.keep(place, found)

    def report(self) -> ComparisonReport:
        """What has come of the comparison so far, its samples explained."""
        explanations = tuple(map(self._comparer.explain, self._totals.sampled()))
        return ComparisonReport(
            subject=f"the crawl of {_name(self._crawler.spider)}",
            when=datetime.now(tz=timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            parsers=tuple(other.name for other in self._others),
            captures=self._totals.captures,
            skipped=self._totals.skipped,
            counts=self._totals.counts,
            causes=_causes(explanations),
            explanations=explanations,
            is_sampled=True,
        )

    def _closed(self, spider: Spider) -> None:
        """Log the table, write the report; a disk that is full stops nothing."""
        report, told = self.report(), {"spider": spider}
        table = as_table(report)
        logger.info("robots.txt compared, parser by parser:\n%s", table, extra=told)
        if self.report_path is None:
            return
        shown = escape_control_chars(str(self.report_path), 500)
        try:
            report_file.write(report, self.report_path)
        except OSError as error:
            why = escape_control_chars(str(error), 300)
            logger.error(  # noqa: TRY400 - the sentence says it all
                "The comparison could not be written to %s: %s", shown, why, extra=told
            )
        else:
            logger.info("The comparison was written to %s", shown, extra=told)


def _causes(
    explanations: tuple[Explanation, ...],
) -> dict[tuple[str, Direction, Cause], int]:
    """How many of *explanations* have which cause."""
    found = ((it.parser, it.direction, it.cause) for it in explanations)
    return dict(Counter(found))


def _name(spider: Spider | None) -> str:
    """The name of *spider*, printable."""
    return escape_control_chars(getattr(spider, "name", None) or "a spider")


def _text(robot: bytes) -> str:
    """The text of a User-Agent header, as Scrapy sends it."""
    return robot.decode("utf-8", "replace")
