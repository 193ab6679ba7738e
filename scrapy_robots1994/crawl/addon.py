"""The add-on. To enable the add-on, set `ADDONS = {"scrapy_robots1994.Addon": 500}`."""

from contextlib import suppress
from typing import Any

from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl.features.browser import check_browser
from scrapy_robots1994.crawl.features.pages import RobotsPages
from scrapy_robots1994.crawl.log import logger
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.setting_types import PARSER_SETTING, load_parser
from scrapy_robots1994.crawl.settings import (
    ROUGH_SIZE,
    RobotsSettings,
    log_settings_errors,
)

# In Scrapy's default settings, the built-in middleware has the order 100.
ORDER = 100
# A low order puts `RobotsPages` near the engine, so that it gets the output of the spider
# middlewares with higher orders.
PAGES_ORDER = 5
# `RobotsUsage` is nearer to the engine than `RobotsPages`, so that `RobotsUsage` gets the
# output of `RobotsPages`.
USAGE_ORDER = 4

# Write the path exactly as in Scrapy's default settings, because before Scrapy 2.14 a
# class and its path are two different keys.
BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"


class Addon:
    """Replaces the built-in robots.txt middleware with the middleware of this package.

    The add-on sets `ROBOTSTXT_OBEY = True`, and `RESPONSE_ROUGH_SIZE = 0` if Scrapy has
    that setting. If `ROBOTS1994_PAGES` or `ROBOTS1994_USAGE` is on, the add-on also adds
    the components that read pages.

    Settings of the user take precedence. If the user has changed the order of the
    built-in middleware, our middleware gets that order. If the user has listed a
    component of this package, its order does not change. With `ROBOTSTXT_OBEY = False` in
    a project, in a spider or on the command line, no robots.txt is obeyed.

    In a dry run, the add-on only lists our middleware after the built-in middleware. The
    add-on does not change any other setting.
    """

    def __init__(self, crawler: Crawler | None = None) -> None:
        """Create the add-on of *crawler*. A crawler is needed only for
        `ROBOTS1994_BROWSER`.
        """
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Addon":
        """Return the add-on of *crawler*."""
        return cls(crawler)

    def __repr__(self) -> str:
        """Return the text that Scrapy logs under "Enabled addons"."""
        return f"<scrapy_robots1994.Addon {__version__}>"

    def update_settings(self, settings: BaseSettings) -> None:
        """Change *settings* before the crawl.

        Raise `SettingsError` for a wrong `ROBOTS1994_` setting, so that the crawl does
        not start.
        """
        with log_settings_errors():
            chosen = RobotsSettings.from_settings(settings)
        if chosen.dry_run:
            _observe_built_in(settings)
            return
        # The priority "addon" overrides Scrapy's default value of ROBOTSTXT_OBEY
        # (`False`), but not a value that the user sets.
        settings.set("ROBOTSTXT_OBEY", value=True, priority="addon")
        _replace_built_in(settings)
        if ROUGH_SIZE in settings:
            settings.set(ROUGH_SIZE, 0, priority="addon")
        if chosen.browser and self._crawler is not None:
            with log_settings_errors():
                check_browser(self._crawler, settings, Robots1994Middleware)
        # Add each component only if a setting needs it, because every response
        # passes through each component.
        add = settings.setdefault_in_component_priority_dict
        if chosen.pages:
            add("SPIDER_MIDDLEWARES", RobotsPages, PAGES_ORDER)
        if chosen.reads_usage:
            from scrapy_robots1994.crawl.features.usage import RobotsUsage  # noqa: PLC0415 - imported only if a setting needs it

            add("SPIDER_MIDDLEWARES", RobotsUsage, USAGE_ORDER)


def _replace_built_in(settings: BaseSettings) -> None:
    """List our middleware in place of the built-in middleware, and switch the built-in
    middleware off.
    """
    name = "DOWNLOADER_MIDDLEWARES"
    # `getdict` returns a copy of the setting. Change only the copy, because the original
    # dict may belong to a spider class.
    listed: dict[Any, int | None] = settings.getdict(name)
    # Load the class of each key. A key is a class or a path, and one class may have several
    # paths.
    classes = {}
    for key in listed:
        # Ignore a path that does not lead to a class. Scrapy also ignores such a path if
        # its order is `None`, and otherwise raises an error later.
        with suppress(NameError, AttributeError, TypeError, ValueError):
            classes[key] = load_object(key)
    order = None
    for key, kind in classes.items():
        # Remove the key, because Scrapy raises an error if two keys of the dict lead to
        # the same class.
        if kind is RobotsTxtMiddleware:
            order = listed.pop(key)
        elif _is_kind_of(kind, RobotsTxtMiddleware) and listed[key] is not None:
            text = (
                "%s, a subclass of the built-in middleware, also fetches each robots.txt "
                "and refuses requests; set this subclass to None in %s"
            )
            logger.warning(text, global_object_name(kind), name)
    if not any(_is_kind_of(kind, Robots1994Middleware) for kind in classes.values()):
        listed[Robots1994Middleware] = ORDER if order is None else order
    # The order `None` overrides the order of the built-in middleware in
    # DOWNLOADER_MIDDLEWARES_BASE.
    listed[BUILT_IN] = None
    # Do not change the priority of the setting, so that a value with a higher priority
    # still overrides the changed dict.
    settings.set(name, listed, priority=settings.getpriority(name) or 0)


def _observe_built_in(settings: BaseSettings) -> None:
    """List our middleware after the built-in middleware. The order of the built-in
    middleware does not change.

    If the user has listed our middleware in place of the built-in middleware, change
    nothing. Our middleware then creates an instance of the built-in middleware, and that
    instance decides.
    """
    from scrapy_robots1994.crawl.features import dry_run  # noqa: PLC0415 - imported only if a setting needs it

    with log_settings_errors():
        # Check the parser here, because Scrapy creates the built-in middleware before our
        # middleware. If the parser cannot be loaded, the error of the built-in middleware
        # does not name the setting.
        load_parser(PARSER_SETTING, settings)
    name = "DOWNLOADER_MIDDLEWARES"
    enabled = dry_run.listed_middlewares(settings)
    orders = [order for kind, order in enabled.items() if dry_run.is_built_in(kind)]
    ours = [kind for kind in enabled if _is_kind_of(kind, Robots1994Middleware)]
    if not orders:
        if not ours:
            why = "the built-in is switched off"
            advice = f"an order for the built-in in {name}"
            logger.warning(dry_run.NOTHING_DECIDES, why, advice)
        return
    listed: dict[Any, float | None] = settings.getdict(name)
    for key in list(listed):
        with suppress(NameError, TypeError, ValueError):
            if _is_kind_of(load_object(key), Robots1994Middleware):
                del listed[key]
    # Add our middleware to the dict last, because Scrapy calls middlewares with equal
    # orders in the order of the dict.
    listed[(ours or [Robots1994Middleware])[0]] = max(orders)
    settings.set(name, listed, priority=settings.getpriority(name) or 0)


def _is_kind_of(component: object, kind: type) -> bool:
    """Return whether *component* is the class *kind* or a subclass of *kind*."""
    return isinstance(component, type) and issubclass(component, kind)
