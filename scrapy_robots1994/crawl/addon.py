"""The one line: `ADDONS = {"scrapy_robots1994.Addon": 500}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.utils.misc import load_object

from scrapy_robots1994.crawl.features.pages import RobotsPages, RobotsPagesPipeline
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.settings import RobotsSettings

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

PLACE = 100  # where Scrapy has the built-in
PAGES_PLACE = 5  # next to the engine: sees what all others made of the output
PIPELINE_PLACE = -1000  # before the user's: what is dropped, none of them is to store

# As Scrapy's own defaults spell it: before 2.14 a class and its path are two.
BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"


class Addon:
    """Puts our middleware in the built-in's place and turns `ROBOTSTXT_OBEY` on; where
    `ROBOTS1994_PAGES` is on, adds what obeys pages.

    What the user set stays: another place of the built-in becomes ours, a middleware of
    ours that already stands somewhere is left there, and `ROBOTSTXT_OBEY = False` in a
    project, a spider or on the command line keeps robots handling off.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Change *settings* before the crawl.

        Raises `SettingsError` for a wrong `ROBOTS1994_` setting, so that the crawl does
        not start.
        """
        chosen = RobotsSettings.from_settings(settings)
        settings.set("ROBOTSTXT_OBEY", value=True, priority="addon")
        name = "DOWNLOADER_MIDDLEWARES"
        # A copy: the dict may be the one object that a spider class holds.
        middlewares: dict[Any, int | None] = dict(settings.getdict(name))
        places = {load_object(key): place for key, place in middlewares.items()}
        if not any(_is_ours(component) for component in places):
            place = places.get(RobotsTxtMiddleware)
            middlewares[Robots1994Middleware] = PLACE if place is None else place
        for key in [
            key for key in middlewares if load_object(key) is RobotsTxtMiddleware
        ]:
            del middlewares[key]
        middlewares[BUILT_IN] = None
        # At the priority it had: a later, stronger setting must still win as before.
        settings.set(name, middlewares, priority=settings.getpriority(name) or 0)
        if chosen.pages:
            _add(settings, "SPIDER_MIDDLEWARES", RobotsPages, PAGES_PLACE)
            _add(settings, "ITEM_PIPELINES", RobotsPagesPipeline, PIPELINE_PLACE)


def _add(settings: BaseSettings, name: str, component: type, place: int) -> None:
    """Add *component* to the components that *name* lists, unless the user did."""
    listed: dict[Any, int | None] = dict(settings.getdict(name))
    if component not in map(load_object, listed):
        listed[component] = place
        settings.set(name, listed, priority=settings.getpriority(name) or 0)


def _is_ours(component: object) -> bool:
    """Whether *component* is our middleware or a subclass of it."""
    return isinstance(component, type) and issubclass(component, Robots1994Middleware)
