"""The log lines and stats of a crawl.

Each log record has the attribute `spider`. Each line is safe to print. The module `stats`
contains the stat keys.
"""

import logging
from collections import Counter
from typing import NamedTuple

from scrapy import signals
from scrapy.crawler import Crawler

from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin

# The package has only one logger, so that one filter applies to all its lines.
logger = logging.getLogger("scrapy_robots1994")

MAX_LINES_OF_A_KIND = 20
"""Maximum number of lines of one kind that a crawl logs above DEBUG. Each line is about one
origin.
"""


class _Safe:
    """A text of a log line. To save time, the text is made safe to print only if a
    handler shows the line. Most messages are logged at level DEBUG.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return redact_and_escape(self._text)

    __repr__ = __str__


def log_line(
    crawler: Crawler, level: int, text: str, *values: object, **more: object
) -> None:
    """Log *text* with *values* filled in. Credentials are removed from URLs in *values*.

    *more* are further attributes of the log record.
    """
    shown = (_Safe(it) if isinstance(it, str) else it for it in values)
    # Extensions and custom formatters use the attribute `spider` of a log record to find
    # the lines of a spider.
    logger.log(level, text, *shown, extra={"spider": crawler.spider, **more})


def log_lines(crawler: Crawler, level: int, text: str) -> None:
    """Make each line of *text* safe to print, and log all lines as one message."""
    shown = "\n".join(redact_and_escape(line) for line in text.split("\n"))
    logger.log(level, "%s", shown, extra={"spider": crawler.spider})


def counted(number: int, noun: str) -> str:
    """Return *number* and *noun*, such as "2 requests". The noun is plural unless *number*
    is 1.
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def count(crawler: Crawler, key: str, number: int = 1, **parts: object) -> None:
    """Add *number* to the stat *key*, which is one of the constants in `stats`. *parts*
    are the values of the placeholders in *key*.
    """
    assert crawler.stats is not None  # noqa: S101 - Scrapy creates the stats before the components
    crawler.stats.inc_value(key.format(**parts) if parts else key, number)


def total(crawler: Crawler, key: str, **parts: object) -> int:
    """Return the value of the stat *key*, or 0 if nothing was counted. *parts* are the
    values of the placeholders in *key*.
    """
    assert crawler.stats is not None  # noqa: S101 - Scrapy creates the stats before the components
    return int(crawler.stats.get_value(key.format(**parts), 0))


class MessageKind(NamedTuple):
    """A kind of log line that is about one origin.

    *summary* is the text that is logged about all lines of the kind when the crawl
    closes. *summary* contains `%d` for the number of lines. If a setting can change the
    behaviour of the crawl, *summary* also names the setting. *command* is a clause about
    the command to run, such as "`scrapy robots-lint URL` shows the problems of a file".
    """

    level: int
    summary: str
    command: str


class OriginLog:
    """Logs lines, each of which is about one origin. The first lines of each kind are
    logged at the level of the kind. Further lines of the kind are logged at DEBUG.

    The number of lines above DEBUG is limited, because a broad crawl may visit any number
    of origins. If a kind has more than `MAX_LINES_OF_A_KIND` lines, a summary is logged
    when the crawl closes. The summary gives the number of lines.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._numbers: Counter[MessageKind] = Counter()
        crawler.signals.connect(self._closed, signals.spider_closed)

    def log(
        self, kind: MessageKind | None, text: str, origin: Origin, *values: object
    ) -> None:
        """Log *text* with the URL of the robots.txt of *origin* and *values* filled in.

        If *kind* is `None`, log *text* at DEBUG. The log record has the attribute `origin`.
        """
        level = logging.DEBUG
        if kind is not None:
            self._numbers[kind] += 1
            if self._numbers[kind] <= MAX_LINES_OF_A_KIND:
                level = kind.level
        # Log the URL of the robots.txt and not the origin, so that users can open the URL.
        url = origin.robots_url
        log_line(self._crawler, level, text, url, *values, origin=origin)

    def _closed(self) -> None:
        """Log a summary of each kind that had more than `MAX_LINES_OF_A_KIND` lines."""
        for kind, number in self._numbers.items():
            if number > MAX_LINES_OF_A_KIND:
                text = (
                    f"{kind.summary}. The first %d are logged above; "
                    f'LOG_LEVEL = "DEBUG" logs all. {kind.command}'
                )
                values = number, MAX_LINES_OF_A_KIND
                log_line(self._crawler, kind.level, text, *values)
