"""Peers: Scrapy's parser classes, as a comparison takes them."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import scrapy.robotstxt
from scrapy.utils.misc import load_object

from scrapy_robots1994.compare import Parser
from scrapy_robots1994.crawl.setting_types import BUILT_IN, PARSERS, is_parser
from scrapy_robots1994.errors import MissingExtra, SettingsError
from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler
    from scrapy.robotstxt import RobotParser

    from scrapy_robots1994.compare import ParsedFile

# They speak of files as if the crawl went by their reading, again at each variant.
_LOUD = tuple(
    map(logging.getLogger, ("scrapy.robotstxt", "protego._protego", "protego._ruleset"))
)


def peers(wanted: Iterable[str | type], crawler: Crawler) -> list[Parser]:
    """The parsers *wanted* for a crawl, each once.

    Raises `SettingsError` for what is no parser, and `MissingExtra` for one whose
    library is missing, as the built-in would at its first file.
    """
    kinds = dict.fromkeys(_load(path, crawler) for path in wanted)
    return [_parser(kind, crawler) for kind in kinds]


def _load(path: str | type, crawler: Crawler) -> type[RobotParser]:
    """The class that *path* names: a whole path, or a name in `scrapy.robotstxt`."""
    kind: Any = path
    if path == BUILT_IN:
        path = kind = crawler.settings[BUILT_IN]
    if isinstance(path, str):
        known = vars(scrapy.robotstxt)
        kind = known.get(f"{path}RobotParser") or known.get(path)
        try:
            kind = kind or load_object(path)
        except (ImportError, NameError, ValueError) as error:
            _refuse(path, str(error))
    if not is_parser(kind):
        _refuse(path, "it has no from_crawler() and allowed()")
    found: type[RobotParser] = kind
    return found


def _refuse(path: object, why: str) -> None:
    """Raise the sentence for what is no parser."""
    msg = (
        f"ROBOTS1994_COMPARE: {escape_control_chars(str(path))} is no parser: "
        f"{escape_control_chars(why)}; write {PARSERS.accepts}."
    )
    raise SettingsError(msg)


def _parser(kind: type[RobotParser], crawler: Crawler) -> Parser:
    """A parser that reads as *kind* does, quietly."""
    try:
        _read(kind, crawler, b"")
    except ImportError as error:
        msg = (
            f"{kind.__name__} needs {error.name}, which is not installed: "
            "pip install 'scrapy_robots1994[report]'"
        )
        raise MissingExtra(msg) from error
    return Parser(kind.__name__, partial(_read, kind, crawler))


def _read(kind: type[RobotParser], crawler: Crawler, body: bytes) -> ParsedFile:
    """*body* as *kind* reads it."""
    were = [it.disabled for it in _LOUD]
    for logger in _LOUD:
        logger.disabled = True
    try:
        return kind.from_crawler(crawler, body)
    finally:
        for logger, was in zip(_LOUD, were, strict=True):
            logger.disabled = was
