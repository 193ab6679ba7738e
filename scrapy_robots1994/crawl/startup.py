"""What the log says when a crawl starts: one line about ours, or why it cannot start."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl.user_agent import RobotName
from scrapy_robots1994.errors import MissingExtra, SettingsError
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.settings import RobotsSettings

logger = logging.getLogger("scrapy_robots1994")


def log_start(crawler: Crawler, settings: RobotsSettings) -> None:
    """Log by which rules this crawl goes, and which setting has no effect."""
    robot = RobotName(crawler).usual
    name = robot.decode("utf-8", "replace") if isinstance(robot, bytes) else robot
    logger.info(
        "scrapy_robots1994 %s: dialect %s, %s reading, robot name %s, store %s, "
        "at most %d parallel robots.txt fetches%s",
        __version__,
        settings.dialect,
        settings.reading,
        escape_control_chars(name),
        escape_control_chars(str(settings.store), 300),
        settings.max_fetches,
        "; dry run: the rules of the built-in middleware decide"
        if settings.dry_run
        else "",
        extra={"spider": crawler.spider},
    )
    if settings.compare_report and not (settings.compare or settings.dry_run):
        logger.warning(
            "ROBOTS1994_COMPARE_REPORT has no effect: nothing is compared; set "
            "ROBOTS1994_COMPARE or ROBOTS1994_DRY_RUN to True",
            extra={"spider": crawler.spider},
        )


@contextmanager
def log_settings_errors() -> Iterator[None]:
    """Log a wrong setting as one CRITICAL line, and raise it again.

    Scrapy prints a traceback for it, in which the sentence is easily overlooked.
    """
    try:
        yield
    except (SettingsError, MissingExtra) as error:
        logger.critical("The crawl cannot start: %s", error)
        raise
