"""How a crawl logs lines: with its spider, and safe to print."""

import logging

from scrapy.crawler import Crawler

from scrapy_robots1994.escaping import redact_and_escape

# One name for the whole package, so that one filter finds all its lines.
logger = logging.getLogger("scrapy_robots1994")


def log_line(crawler: Crawler, level: int, text: str, *values: object) -> None:
    """Log *text* with *values* filled in, without the credentials of URLs."""
    # Most lines are at DEBUG, and are not made where nothing shows them.
    if logger.isEnabledFor(level):
        shown = (redact_and_escape(it) if isinstance(it, str) else it for it in values)
        # Extensions and the formatters of users find the lines of a spider by this.
        logger.log(level, text, *shown, extra={"spider": crawler.spider})


def log_lines(crawler: Crawler, level: int, text: str) -> None:
    """Log *text* of several lines, each as safe to print as by `log_line`."""
    shown = "\n".join(redact_and_escape(line) for line in text.split("\n"))
    logger.log(level, "%s", shown, extra={"spider": crawler.spider})


def counted(number: int, noun: str) -> str:
    """Return *number* with *noun* in its plural: `1 request`, `2 requests`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
