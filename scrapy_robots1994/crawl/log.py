"""Logging and stats.

The log messages are safe to print: control characters are escaped, and passwords hidden. Tracebacks
are logged as they are.
"""

import logging
from collections import Counter

from scrapy import signals
from scrapy.crawler import Crawler

from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin

# One logger for the whole package, so that one filter applies to all lines.
logger = logging.getLogger("scrapy_robots1994")

MAX_LINES_OF_A_KIND = 20


class _Safe:
    """Text that is made safe to print, but only when a log handler formats it."""

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
    """Log *text* with *values* filled in, and the traceback of *error*. *more* becomes attributes
    of the log record.
    """
    shown = (_Safe(it) if isinstance(it, str) else it for it in values)
    # Like `Spider.logger`, set the attribute `spider` of the record.
    extra = {"spider": crawler.spider, **more}
    logger.log(level, text, *shown, exc_info=error, extra=extra)


def log_lines(crawler: Crawler, level: int, text: str) -> None:
    """Log *text* as one message of several lines."""
    shown = "\n".join(redact_and_escape(line) for line in text.split("\n"))
    logger.log(level, "%s", shown, extra={"spider": crawler.spider})


def counted(number: int, noun: str) -> str:
    """Return "1 request" or "2 requests", for example."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def count(crawler: Crawler, key: str, number: int = 1, **parts: object) -> None:
    """Add *number* to the stat *key*. *parts* fill in its placeholders."""
    assert crawler.stats is not None  # noqa: S101 - Scrapy creates the stats before the components
    crawler.stats.inc_value(key.format(**parts) if parts else key, number)


def total(crawler: Crawler, key: str, **parts: object) -> int:
    """Return the value of the stat *key*, or 0 if nothing was counted."""
    assert crawler.stats is not None  # noqa: S101 - Scrapy creates the stats before the components
    return int(crawler.stats.get_value(key.format(**parts), 0))


class OriginLog:
    """Logs lines that are each about one origin.

    After `MAX_LINES_OF_A_KIND` lines with the same format, the rest are logged at DEBUG. When the
    spider closes, a last line for each such format says how many there were.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._numbers: Counter[str] = Counter()
        # For each text, the level and the values of its first line
        self._firsts: dict[str, tuple[int, tuple[object, ...]]] = {}
        crawler.signals.connect(self._closed, signals.spider_closed)

    def log(self, level: int, text: str, origin: Origin, *values: object) -> None:
        """Log *text* with the robots.txt URL of *origin* and *values* filled in. The log record has
        the attribute `origin`.
        """
        values = origin.robots_url, *values
        if level > logging.DEBUG:
            self._firsts.setdefault(text, (level, values))
            self._numbers[text] += 1
            if self._numbers[text] > MAX_LINES_OF_A_KIND:
                level = logging.DEBUG
        log_line(self._crawler, level, text, *values, origin=origin)

    def _closed(self) -> None:
        for text, number in self._numbers.items():
            if number > MAX_LINES_OF_A_KIND:
                level, values = self._firsts[text]
                start = (
                    "There were %d lines of this kind, only %d above DEBUG. The first "
                    "was: "
                )
                numbers = number, MAX_LINES_OF_A_KIND
                log_line(self._crawler, level, start + text, *numbers, *values)
