"""Load the parsers that ours is compared with."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import scrapy.robotstxt
from scrapy.crawler import Crawler
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

from scrapy_robots1994.compare.rows import Parse
from scrapy_robots1994.crawl.setting_types import PARSER_SETTING
from scrapy_robots1994.errors import (
    MissingExtra,
    SettingsError,
    did_you_mean,
    needs_extra,
)
from scrapy_robots1994.escaping import escape_control_chars

SCRAPY_PARSERS = ("ProtegoRobotParser", "PythonRobotParser", "RerpRobotParser")


def other_parsers(
    wanted: Iterable[str | type], crawler: Crawler, setting: str = "ROBOTS1994_COMPARE"
) -> dict[str, Parse]:
    """Return the parsers in *wanted*, the value of *setting*.

    The key of each parser is its import path or, for Scrapy's own parsers, the class name.

    Raise `SettingsError` for anything that is not a parser, and `MissingExtra` if a library that a
    parser needs is not installed.
    """
    others: dict[str, Parse] = {}
    for each in wanted:
        kind = _loaded(each, crawler, setting)
        is_scrapys = kind.__module__ == "scrapy.robotstxt"
        name = kind.__name__ if is_scrapys else global_object_name(kind)
        try:
            # Parse an empty file, because some parsers, such as `RerpRobotParser`, import their
            # library only when they parse.
            with needs_extra(name, "report"):
                kind.from_crawler(crawler, b"")
        except MissingExtra:
            raise
        except Exception as error:
            shown = escape_control_chars(f"{type(error).__name__}: {error}")
            raise SettingsError(
                f"{setting}: {name} fails on an empty robots.txt: {shown}; fix its from_crawler()."
            ) from error
        others[name] = partial(kind.from_crawler, crawler)
    return others


def _loaded(path: str | type, crawler: Crawler, setting: str) -> Any:
    """Return the class that *path* stands for. *path* is the class itself, its import path, or the
    name of a parser in `scrapy.robotstxt`, such as "ProtegoRobotParser" or "Protego".
    """
    if path == PARSER_SETTING:
        setting, path = PARSER_SETTING, crawler.settings[PARSER_SETTING]
    known, name = vars(scrapy.robotstxt), str(path)
    why = "it needs the methods from_crawler() and allowed()"
    try:
        kind = known.get(f"{name}RobotParser") or known.get(name) or load_object(path)
    except (ImportError, NameError, AttributeError, TypeError, ValueError) as error:
        kind, why = None, str(error)
    # Like Scrapy, require the methods of `RobotParser`, but not that base class.
    methods = getattr(kind, "from_crawler", None), getattr(kind, "allowed", None)
    if all(map(callable, methods)):
        return kind
    hint = did_you_mean(name, SCRAPY_PARSERS) or (
        "; write the path of a class, for example scrapy.robotstxt.ProtegoRobotParser."
    )
    shown = escape_control_chars(f"{name} is not a parser: {why}")
    raise SettingsError(f"{setting}: {shown}{hint}")
