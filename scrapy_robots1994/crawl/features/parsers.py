"""Parsers with Scrapy's interface, to compare ours with."""

from typing import cast

import scrapy.robotstxt
from scrapy.robotstxt import RobotParser
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from scrapy_robots1994.crawl.setting_types import PARSER_SETTING
from scrapy_robots1994.errors import SettingsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars

SCRAPY_PARSERS = ("ProtegoRobotParser", "PythonRobotParser", "RerpRobotParser")
"""The names of Scrapy's parser classes."""


def load_parser(
    path: str | type, settings: BaseSettings, setting: str = PARSER_SETTING
) -> type[RobotParser]:
    """Return a parser class. *path* is the class, its class path, or its name in
    `scrapy.robotstxt`, which may be short ("Protego").

    Raise `SettingsError`, which names *setting*, for any other value of *path*.
    """
    if path == PARSER_SETTING:
        setting, path = PARSER_SETTING, settings[PARSER_SETTING]
    known, name = vars(scrapy.robotstxt), str(path)
    why = "it needs the methods from_crawler() and allowed()"
    try:
        kind = known.get(f"{name}RobotParser") or known.get(name) or load_object(path)
    except (ImportError, NameError, AttributeError, TypeError, ValueError) as error:
        kind, why = None, str(error)
    # Not the base class, which Scrapy does not require.
    methods = getattr(kind, "from_crawler", None), getattr(kind, "allowed", None)
    if all(map(callable, methods)):
        return cast("type[RobotParser]", kind)
    hint = did_you_mean(name, SCRAPY_PARSERS) or (
        "; write the path of a class, for example scrapy.robotstxt.ProtegoRobotParser."
    )
    shown = escape_control_chars(f"{name} is not a parser: {why}")
    raise SettingsError(f"{setting}: {shown}{hint}")
