"""scrapy_robots1994: the robots exclusion standard of 30 June 1994, for Scrapy.

Imports only go down:

    commands/     the `scrapy robots-…` commands
    crawl/        the Scrapy side: add-on, middleware, settings, stats; features/
    stores/       where policies are stored: memory, SQLite, Redis
    policy/       response → outcome → policy; one fetch for all waiting requests
    compare/      how other parsers read a file, and why they differ
    lint/         what each line of a file does to a strict robot
    robotstxt     RobotsTxt, the public interface of one file
    checks/       what is wrong in a file
    directives    the robots directives of a page
    parser/       the grammar: bytes → tokens → records → rules → verdict
    origin, escaping, errors

The public names below are imported on first access: importing this package imports
neither scrapy nor twisted.
"""

from __future__ import annotations

from importlib import import_module

# As type checkers know it. Importing it from `typing` would take most of the time of
# importing this package.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from scrapy_robots1994.checks.kinds import Problem
    from scrapy_robots1994.crawl.addon import Addon
    from scrapy_robots1994.crawl.exceptions import ForbiddenByRobots
    from scrapy_robots1994.crawl.features.crawl_delay import CrawlDelay
    from scrapy_robots1994.crawl.features.pages import (
        DroppedByPage,
        RobotsPages,
        RobotsPagesPipeline,
        page_directives,
    )
    from scrapy_robots1994.crawl.features.sitemaps import robots_sitemaps
    from scrapy_robots1994.crawl.middleware import Robots1994Middleware
    from scrapy_robots1994.crawl.parser import Robots1994Parser
    from scrapy_robots1994.crawl.refusals import request_refused
    from scrapy_robots1994.directives import Directives
    from scrapy_robots1994.errors import (
        MissingExtra,
        RobotsError,
        SettingsError,
        StoreError,
    )
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import (
        Line,
        LineKind,
        Reason,
        Record,
        RobotRules,
        Verdict,
    )
    from scrapy_robots1994.robotstxt import RobotsTxt

__version__ = "0.1.0"

_MODULES = {
    "Addon": ".crawl.addon",
    "CrawlDelay": ".crawl.features.crawl_delay",
    "Directives": ".directives",
    "DroppedByPage": ".crawl.features.pages",
    "ForbiddenByRobots": ".crawl.exceptions",
    "Line": ".parser",
    "LineKind": ".parser",
    "MissingExtra": ".errors",
    "Origin": ".origin",
    "Problem": ".checks.kinds",
    "Reason": ".parser",
    "Record": ".parser",
    "Robots1994Middleware": ".crawl.middleware",
    "Robots1994Parser": ".crawl.parser",
    "RobotsError": ".errors",
    "RobotsPages": ".crawl.features.pages",
    "RobotsPagesPipeline": ".crawl.features.pages",
    "RobotsTxt": ".robotstxt",
    "RobotRules": ".parser",
    "SettingsError": ".errors",
    "StoreError": ".errors",
    "Verdict": ".parser",
    "page_directives": ".crawl.features.pages",
    "request_refused": ".crawl.refusals",
    "robots_sitemaps": ".crawl.features.sitemaps",
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
    "RobotRules",
    "Robots1994Middleware",
    "Robots1994Parser",
    "RobotsError",
    "RobotsPages",
    "RobotsPagesPipeline",
    "RobotsTxt",
    "SettingsError",
    "StoreError",
    "Verdict",
    "page_directives",
    "request_refused",
    "robots_sitemaps",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    module = _MODULES.get(name)
    if module is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all public names, imported or not."""
    return sorted(__all__)
