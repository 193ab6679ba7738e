"""scrapy_robots1994: the robots exclusion standard of 30 June 1994, for Scrapy.

Each module imports only from its own row and the rows below:

    commands/     the `scrapy robots-…` commands
    crawl/        add-on, middleware, settings, stats, features
    stores/       SQLite, Redis, memory
    compare/      comparison with other parsers
    policy/       answer → outcome → policy
    robotstxt     RobotsTxt, one parsed file
    lint/         problems of a file
    directives    robots directives of a page
    parser/       bytes → lines → records → rules → verdict
    origin, escaping, errors

Public names are imported on first use, so `import scrapy_robots1994` imports neither Scrapy nor
Twisted.
"""

from __future__ import annotations

from importlib import import_module

# Type checkers assume that a variable with this name is true. Importing `TYPE_CHECKING` from
# `typing` would more than double the time to import the package.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from scrapy_robots1994.crawl.addon import Addon as Addon
    from scrapy_robots1994.crawl.exceptions import (
        ForbiddenByRobots as ForbiddenByRobots,
    )
    from scrapy_robots1994.crawl.features.page import page_directives as page_directives
    from scrapy_robots1994.crawl.features.page import page_usage as page_usage
    from scrapy_robots1994.crawl.features.pages import DroppedByPage as DroppedByPage
    from scrapy_robots1994.crawl.features.pages import RobotsPages as RobotsPages
    from scrapy_robots1994.crawl.features.usage import DroppedByUsage as DroppedByUsage
    from scrapy_robots1994.crawl.features.usage import RefusedByUsage as RefusedByUsage
    from scrapy_robots1994.crawl.middleware import (
        Robots1994Middleware as Robots1994Middleware,
    )
    from scrapy_robots1994.crawl.parser import Robots1994Parser as Robots1994Parser
    from scrapy_robots1994.crawl.parser import robots_sitemaps as robots_sitemaps
    from scrapy_robots1994.crawl.refusals import request_refused as request_refused
    from scrapy_robots1994.directives import Directives as Directives
    from scrapy_robots1994.errors import MissingExtra as MissingExtra
    from scrapy_robots1994.errors import RobotsError as RobotsError
    from scrapy_robots1994.errors import SettingsError as SettingsError
    from scrapy_robots1994.lint.kinds import Problem as Problem
    from scrapy_robots1994.origin import Origin as Origin
    from scrapy_robots1994.parser import Line as Line
    from scrapy_robots1994.parser import LineKind as LineKind
    from scrapy_robots1994.parser import Reason as Reason
    from scrapy_robots1994.parser import RobotRules as RobotRules
    from scrapy_robots1994.parser import Verdict as Verdict
    from scrapy_robots1994.parser.records import Record as Record
    from scrapy_robots1994.parser.usage import Answer as Answer
    from scrapy_robots1994.parser.usage import Statement as Statement
    from scrapy_robots1994.parser.usage import Usage as Usage
    from scrapy_robots1994.robotstxt import RobotsTxt as RobotsTxt
    from scrapy_robots1994.stores.url import open_store as open_store

__version__ = "0.2.0"

_NAMES = {
    "lint.kinds": ("Problem",),
    "crawl.addon": ("Addon",),
    "crawl.exceptions": ("ForbiddenByRobots",),
    "crawl.features.page": ("page_directives", "page_usage"),
    "crawl.features.pages": ("DroppedByPage", "RobotsPages"),
    "crawl.features.usage": ("DroppedByUsage", "RefusedByUsage"),
    "crawl.refusals": ("request_refused",),
    "crawl.middleware": ("Robots1994Middleware",),
    "crawl.parser": ("Robots1994Parser", "robots_sitemaps"),
    "directives": ("Directives",),
    "errors": ("MissingExtra", "RobotsError", "SettingsError"),
    "origin": ("Origin",),
    "parser": ("Line", "LineKind", "Reason", "RobotRules", "Verdict"),
    "parser.records": ("Record",),
    "parser.usage": ("Answer", "Statement", "Usage"),
    "robotstxt": ("RobotsTxt",),
    "stores.url": ("open_store",),
}
"""The public names of each module. The imports under `TYPE_CHECKING` contain the same names."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all public names, including those not yet imported."""
    return sorted(__all__)
