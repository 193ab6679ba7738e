"""Logging for a crawl: each line has the spider, and is safe to print."""

import logging
from collections import Counter
from typing import NamedTuple

from scrapy import signals
from scrapy.crawler import Crawler

from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin

# The package has one logger, so that one filter finds all its lines.
logger = logging.getLogger("scrapy_robots1994")

MAX_LINES_OF_A_KIND = 20
"""Lines of one kind, each about one origin, that a crawl logs above DEBUG."""


def is_shown(level: int) -> bool:
    """Return whether any handler shows lines of *level*.

    Scrapy sets `LOG_LEVEL` only on its handlers, not on loggers.
    """
    each: logging.Logger | None = logger
    while logger.isEnabledFor(level) and each is not None:
        for handler in each.handlers:
            if handler.level <= level:
                return True
        each = each.parent if each.propagate else None
    return False


def log_line(
    crawler: Crawler, level: int, text: str, *values: object, **more: object
) -> None:
    """Log *text* with *values* filled in, without the credentials of URLs.

    *more* are further attributes of the log record.
    """
    # Most lines are at DEBUG: do not format a line that no handler shows.
    if is_shown(level):
        shown = (redact_and_escape(it) if isinstance(it, str) else it for it in values)
        # Extensions and custom formatters find the lines of a spider by this attribute.
        logger.log(level, text, *shown, extra={"spider": crawler.spider, **more})


def log_lines(crawler: Crawler, level: int, text: str) -> None:
    """Log the lines of *text*; like `log_line`, make each line safe to print."""
    shown = "\n".join(redact_and_escape(line) for line in text.split("\n"))
    logger.log(level, "%s", shown, extra={"spider": crawler.spider})


def counted(number: int, noun: str) -> str:
    """Return *number* with *noun* in its plural: `1 request`, `2 requests`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


class MessageKind(NamedTuple):
    """A kind of log lines, each of which is about one origin.

    *summary* is the line about all of them when the crawl closes, with `%d` for their
    number and with the setting that decides. *command* is the command that explains them.
    """

    level: int
    summary: str
    command: str


class OriginLog:
    """Logs lines about single origins: the first lines of each kind, and the rest at
    DEBUG.

    A broad crawl meets any number of origins. At its close, one line says how many lines
    there were of each kind that has more than `MAX_LINES_OF_A_KIND`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._numbers: Counter[MessageKind] = Counter()
        crawler.signals.connect(self._closed, signals.spider_closed)

    def log(
        self, kind: MessageKind | None, text: str, origin: Origin, *values: object
    ) -> None:
        """Log *text* with the URL of the robots.txt of *origin* and *values* filled in.

        Log at DEBUG if *kind* is `None`. The log record has the attribute `origin`.
        """
        level = logging.DEBUG
        if kind is not None:
            self._numbers[kind] += 1
            if self._numbers[kind] <= MAX_LINES_OF_A_KIND:
                level = kind.level
        # Name the URL of the file, which a reader can open.
        url = origin.robots_url
        log_line(self._crawler, level, text, url, *values, origin=origin)

    def _closed(self) -> None:
        """Log a summary of each kind that had more lines than are shown."""
        for kind, number in self._numbers.items():
            if number > MAX_LINES_OF_A_KIND:
                text = (
                    f"{kind.summary}. The first %d have a line each above, all have one at "
                    f'LOG_LEVEL = "DEBUG"; {kind.command}'
                )
                values = number, MAX_LINES_OF_A_KIND
                log_line(self._crawler, kind.level, text, *values)
