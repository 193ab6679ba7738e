"""How a crawl logs a line: with its spider, and safe to print."""

import logging

from scrapy.crawler import Crawler

from scrapy_robots1994.escaping import escape_control_chars, redact_credentials

# One name for the whole package, so that one filter finds all its lines.
logger = logging.getLogger("scrapy_robots1994")


def log_line(crawler: Crawler, level: int, text: str, *values: object) -> None:
    """Log *text* with *values* filled in, without the credentials of URLs."""
    # Most lines are at DEBUG, and are not made where nothing shows them.
    if logger.isEnabledFor(level):
        shown = (printable(it) if isinstance(it, str) else it for it in values)
        # Extensions and the formatters of users find the lines of a spider by this.
        logger.log(level, text, *shown, extra={"spider": crawler.spider})


def printable(text: str, width: int = 500) -> str:
    """Return *text* of a site, a server or an exception as a log line shows it."""
    # Ours O25: a host of a URL may hold anything, too; and a proxy's URL with its
    # password is in the message of many exceptions.
    return escape_control_chars(redact_credentials(text), width)
