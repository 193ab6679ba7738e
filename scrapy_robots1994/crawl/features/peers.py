"""Peers: Scrapy's parser classes, as a comparison uses them, here or elsewhere."""

from __future__ import annotations

import pickle
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import scrapy.robotstxt
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_robots1994.compare.comparer import Comparer
from scrapy_robots1994.compare.parsers import Parser
from scrapy_robots1994.crawl.setting_types import (
    BUILT_IN,
    PARSERS,
    SCRAPY_PARSERS,
    is_parser,
)
from scrapy_robots1994.errors import MissingExtra, SettingsError, did_you_mean
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.robotstxt import RobotParser
    from scrapy.settings import BaseSettings


def peers(
    wanted: Iterable[str | type], crawler: Crawler, setting: str = "ROBOTS1994_COMPARE"
) -> list[Parser]:
    """Return the parsers that *wanted* of *setting* names, each once.

    Raise `SettingsError` for anything that is not a parser, and `MissingExtra` for a
    parser whose library is not installed.
    """
    kinds = dict.fromkeys(load_parser(path, crawler, setting) for path in wanted)
    return [_parser(kind, crawler) for kind in kinds]


def portable(settings: BaseSettings) -> bytes:
    """Return *settings* pickled, for `make_comparer` in another process.

    A setting that cannot be pickled, as an object, is left out.
    """
    values = {}
    for name, value in settings.copy_to_dict().items():
        try:
            pickle.dumps(value)
        except Exception:  # noqa: BLE001, S112 - a setting may be any object
            continue
        values[name] = value
    return pickle.dumps(values)


def make_comparer(
    wanted: Iterable[str | type], settings: bytes, dialect: str, reading: str
) -> Comparer:
    """Return the comparer of our parser and those *wanted*, in the process that runs
    them.
    """
    values = Settings()
    values.setdict(pickle.loads(settings), priority="cmdline")  # noqa: S301 - our parent's
    others = peers(wanted, Crawler(Spider, values))
    return Comparer(others, dialect=dialect, reading=reading)


def load_parser(
    path: str | type, crawler: Crawler, setting: str = BUILT_IN
) -> type[RobotParser]:
    """Return the class of *path*: a class, a class path or a name in `scrapy.robotstxt`.

    Raise `SettingsError` for anything else.
    """
    kind = cast("Any", path)
    if path == BUILT_IN:
        setting, kind = BUILT_IN, crawler.settings[BUILT_IN]
    named = kind
    if isinstance(kind, str):
        known = vars(scrapy.robotstxt)
        try:
            kind = (
                known.get(f"{kind}RobotParser") or known.get(kind) or load_object(kind)
            )
        except (ImportError, NameError, ValueError) as error:
            raise _error(setting, named, str(error)) from error
    if not is_parser(kind):
        raise _error(setting, named, "it has no from_crawler() and allowed()")
    found: type[RobotParser] = kind
    return found


def _error(setting: str, path: object, why: str) -> SettingsError:
    """Return the error for a *path* in *setting* that is not a parser."""
    shown = escape_control_chars(str(path))
    short = [name.removesuffix("RobotParser") for name in SCRAPY_PARSERS]
    hint = did_you_mean(path, [*SCRAPY_PARSERS, *short])
    return SettingsError(
        f"{setting}: {shown} is not a parser: {escape_control_chars(why)}"
        f"{hint or f'; write {PARSERS.accepts}.'}"
    )


def _parser(kind: type[RobotParser], crawler: Crawler) -> Parser:
    """Return the parser of class *kind*."""
    try:
        kind.from_crawler(crawler, b"")
    except ImportError as error:
        msg = (
            f"{kind.__name__} needs {error.name}, which is not installed: "
            "pip install 'scrapy_robots1994[report]'"
        )
        raise MissingExtra(msg) from error
    return Parser(kind.__name__, partial(kind.from_crawler, crawler))
