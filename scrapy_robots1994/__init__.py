"""scrapy_robots1994: the robots exclusion standard of 30 June 1994, for Scrapy.

The map of the package, by floors; imports only go down:

    plugin/       floor 5  the Scrapy side: add-on, middleware, parser, settings, stats
    keeper        floor 4  finds or fetches the policy of an origin, once for all
    stores/       floor 3  where policies rest
    needs         floor 3  what the keeper needs from outside
    pages/        floor 2  what a page itself says to robots
    comparison/   floor 2  how other parsers read, and why otherwise
    lint/         floor 2  what each line of a file does to a strict robot
    upkeep/       floor 2  what we hold true of an origin, and how long
    standard/     floor 1  the 1994 text as code: bytes → lines → records → verdict
    origin, printable, errors   floor 0  words

The public names below are loaded when first asked for: importing this package imports
neither scrapy nor twisted.
"""

from __future__ import annotations

from importlib import import_module

# As type checkers know it. To import it from `typing` would take most of the time that
# importing this package takes.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from scrapy_robots1994.errors import (
        MissingExtra,
        RobotsError,
        SettingsError,
        StoreError,
    )
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.pages import Directives
    from scrapy_robots1994.plugin.addon import Addon
    from scrapy_robots1994.plugin.crawl_delay import CrawlDelay
    from scrapy_robots1994.plugin.forbidden import ForbiddenByRobots
    from scrapy_robots1994.plugin.middleware import Robots1994Middleware
    from scrapy_robots1994.plugin.pages import (
        DroppedByPage,
        RobotsPages,
        RobotsPagesPipeline,
        page_directives,
    )
    from scrapy_robots1994.plugin.parser import Robots1994Parser
    from scrapy_robots1994.plugin.sitemaps import robots_sitemaps
    from scrapy_robots1994.standard import (
        Line,
        LineKind,
        Problem,
        Reason,
        Record,
        RobotsTxt,
        Ruling,
        Verdict,
    )

__version__ = "0.1.0"

_HOMES = {
    "Addon": ".plugin.addon",
    "CrawlDelay": ".plugin.crawl_delay",
    "Directives": ".pages",
    "DroppedByPage": ".plugin.pages",
    "ForbiddenByRobots": ".plugin.forbidden",
    "Line": ".standard",
    "LineKind": ".standard",
    "MissingExtra": ".errors",
    "Origin": ".origin",
    "Problem": ".standard",
    "Reason": ".standard",
    "Record": ".standard",
    "Robots1994Middleware": ".plugin.middleware",
    "Robots1994Parser": ".plugin.parser",
    "RobotsError": ".errors",
    "RobotsPages": ".plugin.pages",
    "RobotsPagesPipeline": ".plugin.pages",
    "RobotsTxt": ".standard",
    "Ruling": ".standard",
    "SettingsError": ".errors",
    "StoreError": ".errors",
    "Verdict": ".standard",
    "page_directives": ".plugin.pages",
    "robots_sitemaps": ".plugin.sitemaps",
}

__all__ = [
    "Addon",
    "CrawlDelay",
    "Directives",
    "DroppedByPage",
    "ForbiddenByRobots",
    "Line",
    "LineKind",
    "MissingExtra",
    "Origin",
    "Problem",
    "Reason",
    "Record",
    "Robots1994Middleware",
    "Robots1994Parser",
    "RobotsError",
    "RobotsPages",
    "RobotsPagesPipeline",
    "RobotsTxt",
    "Ruling",
    "SettingsError",
    "StoreError",
    "Verdict",
    "page_directives",
    "robots_sitemaps",
]


def __getattr__(name: str) -> Any:
    """Load the room of a public name when it is first asked for (PEP 562)."""
    home = _HOMES.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """All public names, loaded or not."""
    return sorted(__all__)
