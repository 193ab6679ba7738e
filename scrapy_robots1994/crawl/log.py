"""The log lines and stats of a crawl. Each line is safe to print, and each record has the
attribute `spider`. The module `stats` has the keys.
"""

import logging
from collections import Counter
from typing import NamedTuple

from scrapy import signals
from scrapy.crawler import Crawler

from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin

# One logger for the package, so that one filter applies to all its lines.
logger = logging.getLogger("scrapy_robots1994")

MAX_LINES_OF_A_KIND = 20
"""Lines of one kind, each about one origin, that a crawl logs above DEBUG."""


class _Safe:
    """A text that is made safe to print only if a handler shows its line."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return redact_and_escape(self._text)

    __repr__ = __str__


def log_line(
    crawler: Crawler,
    level: int,
    text: str,
    *values: object,
    error: BaseException | None = None,
    **more: object,
) -> None:
    """Log *text* with *values* filled in, and the traceback of *error*. *more* are further
    attributes of the record.
    """
    shown = (_Safe(it) if isinstance(it, str) else it for it in values)
    # Extensions and formatters find the lines of a spider by the attribute `spider`.
    extra = {"spider": crawler.spider, **more}
    logger.log(level, text, *shown, exc_info=error, extra=extra)


def log_lines(crawler: Crawler, level: int, text: str) -> None:
    """Log all lines of *text* as one message, each made safe to print."""
    shown = "\n".join(redact_and_escape(line) for line in text.split("\n"))
    logger.log(level, "%s", shown, extra={"spider": crawler.spider})


def counted(number: int, noun: str) -> str:
    """Return *number* and *noun*, such as "2 requests"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def count(crawler: Crawler, key: str, number: int = 1, **parts: object) -> None:
    """Add *number* to the stat *key* of `stats`. *parts* fill its placeholders."""
    assert crawler.stats is not None  # noqa: S101 - Scrapy creates the stats before the components
    crawler.stats.inc_value(key.format(**parts) if parts else key, number)


def total(crawler: Crawler, key: str, **parts: object) -> int:
    """Return the value of the stat *key*, or 0 if nothing was counted."""
    assert crawler.stats is not None  # noqa: S101 - Scrapy creates the stats before the components
    return int(crawler.stats.get_value(key.format(**parts), 0))


class MessageKind(NamedTuple):
    """A kind of line about one origin."""

    level: int
    summary: str
    """What is logged at the close about all lines of the kind: `%d` is their number."""


class OriginLog:
    """Logs lines, each about one origin: the first `MAX_LINES_OF_A_KIND` of a kind at its
    level, the rest at DEBUG, and then a summary at the close.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._numbers: Counter[MessageKind] = Counter()
        crawler.signals.connect(self._closed, signals.spider_closed)

    def log(
        self, kind: MessageKind | None, text: str, origin: Origin, *values: object
    ) -> None:
        """Log *text* with the robots.txt URL of *origin* and *values* filled in, at DEBUG if
        *kind* is None. The record has the attribute `origin`.
        """
        level = logging.DEBUG
        if kind is not None:
            self._numbers[kind] += 1
            if self._numbers[kind] <= MAX_LINES_OF_A_KIND:
                level = kind.level
        url = origin.robots_url
        log_line(self._crawler, level, text, url, *values, origin=origin)

    def _closed(self) -> None:
        for kind, number in self._numbers.items():
            if number > MAX_LINES_OF_A_KIND:
                text = (
                    f"{kind.summary}. The first %d are logged above; "
                    'LOG_LEVEL = "DEBUG" logs all; `scrapy robots-check --explain URL` '
                    "shows what an origin answers now"
                )
                values = number, MAX_LINES_OF_A_KIND
                log_line(self._crawler, kind.level, text, *values)
