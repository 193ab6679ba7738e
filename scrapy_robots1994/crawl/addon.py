"""The add-on that enables the middlewares of this package."""

from contextlib import suppress
from typing import Any

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.settings import RobotsSettings, log_settings_errors

# The order of the built-in middleware in DOWNLOADER_MIDDLEWARES_BASE
ORDER = 100
PAGES = "scrapy_robots1994.crawl.features.pages.RobotsPages"
# Low, so that `RobotsPages` sees the output of all other spider middlewares
PAGES_ORDER = 5

# Spelt as in Scrapy's default settings, because before Scrapy 2.14 a class and its import path
# are different keys.
BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"


class Addon:
    """The Scrapy add-on, enabled with `ADDONS = {"scrapy_robots1994.Addon": 500}`.

    It

    * replaces Scrapy's `RobotsTxtMiddleware` with `Robots1994Middleware`, at the same position,
      unless `DOWNLOADER_MIDDLEWARES` sets `Robots1994Middleware` to None
    * sets `ROBOTSTXT_OBEY` to True, unless the project sets it
    * adds `RobotsPages` if `ROBOTS1994_PAGES` or `ROBOTS1994_USAGE` is on

    With `ROBOTS1994_DRY_RUN`, it only replaces the middleware.
    """

    def __repr__(self) -> str:
        """Scrapy logs this under "Enabled addons"."""
        return f"<scrapy_robots1994.Addon {__version__}>"

    def update_settings(self, settings: BaseSettings) -> None:
        """Raise `SettingsError` if a `ROBOTS1994_` setting is invalid."""
        with log_settings_errors():
            chosen = RobotsSettings.from_settings(settings)
        if chosen.dry_run:
            _replace_built_in(settings)
            return
        # This priority overrides Scrapy's default, but not a value that the project sets.
        settings.set("ROBOTSTXT_OBEY", value=True, priority="addon")
        _replace_built_in(settings)
        if chosen.reads_pages:
            add = settings.setdefault_in_component_priority_dict
            add("SPIDER_MIDDLEWARES", load_object(PAGES), PAGES_ORDER)


def _replace_built_in(settings: BaseSettings) -> None:
    name = "DOWNLOADER_MIDDLEWARES"
    # Change a copy, because the dict may belong to a spider class.
    listed: dict[Any, int | None] = settings.getdict(name)
    # A key is a class or an import path, and a class may have several paths.
    classes = {}
    for key in listed:
        # Scrapy itself reports wrong paths.
        with suppress(NameError, AttributeError, TypeError, ValueError):
            classes[key] = load_object(key)
    order = None
    for key, kind in classes.items():
        if kind is RobotsTxtMiddleware:
            # Remove this key, because `BUILT_IN` is added below, and Scrapy rejects a class that
            # is listed twice.
            order = listed.pop(key)
    ours = [
        key
        for key, kind in classes.items()
        if isinstance(kind, type) and issubclass(kind, Robots1994Middleware)
    ]
    if not ours:
        listed[Robots1994Middleware] = ORDER if order is None else order
    elif all(listed[key] is None for key in ours):
        # Keep the built-in middleware, or robots.txt would not be obeyed at all.
        return
    # This overrides the order in DOWNLOADER_MIDDLEWARES_BASE.
    listed[BUILT_IN] = None
    # Keep the priority, so that values with a higher priority still override this one.
    settings.set(name, listed, priority=settings.getpriority(name) or 0)
