"""The add-on. To enable the add-on, set `ADDONS = {"scrapy_robots1994.Addon": 500}`."""

from contextlib import suppress
from typing import Any

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl.log import logger
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.settings import RobotsSettings, log_settings_errors

# In Scrapy's default settings, the built-in middleware has the order 100.
ORDER = 100
_FEATURES = "scrapy_robots1994.crawl.features"

SPIDER_MIDDLEWARES = (("reads_pages", f"{_FEATURES}.pages.RobotsPages", 5),)
"""Rows of (field of `RobotsSettings` that needs the component, import path, order). The
order is near the engine, so that the output of all other components is seen.
"""

# Write the path exactly as in Scrapy's default settings, because before Scrapy 2.14 a
# class and its path are two different keys.
BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"


class Addon:
    """Replaces the built-in robots.txt middleware with the middleware of this package.

    The add-on sets `ROBOTSTXT_OBEY = True`. If `ROBOTS1994_PAGES` or `ROBOTS1994_USAGE` is
    on, it also adds `RobotsPages`.

    Settings of the user take precedence. If the user has changed the order of the
    built-in middleware, our middleware gets that order. If the user has listed a
    component of this package, its order does not change. With `ROBOTSTXT_OBEY = False` in
    a project, in a spider or on the command line, no robots.txt is obeyed.

    In a dry run, only the middleware is listed, which then calls the built-in one.
    """

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
            _replace_built_in(settings)
            return
        # The priority "addon" overrides Scrapy's default value of ROBOTSTXT_OBEY
        # (`False`), but not a value that the user sets.
        settings.set("ROBOTSTXT_OBEY", value=True, priority="addon")
        _replace_built_in(settings)
        add = settings.setdefault_in_component_priority_dict
        for name, path, order in SPIDER_MIDDLEWARES:
            if getattr(chosen, name):
                add("SPIDER_MIDDLEWARES", load_object(path), order)


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


def _is_kind_of(component: object, kind: type) -> bool:
    """Return whether *component* is the class *kind* or a subclass of *kind*."""
    return isinstance(component, type) and issubclass(component, kind)
