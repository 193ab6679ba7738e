"""What the settings of a comparison may be; read at every start, so loads little."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy_robots1994.crawl.setting_types import listed, refuse

BUILT_IN = "ROBOTSTXT_PARSER"
"""What `True` stands for: the parser that the built-in middleware would use."""

ALL = ("ProtegoRobotParser", "PythonRobotParser", "RerpRobotParser")
"""The parsers that Scrapy has adapters for, by their names there."""

PARSERS = (
    "True, False or a list of parsers, for example "
    '["ProtegoRobotParser", "my.module.MyRobotParser"]'
)
REPORT = "a path that ends in .html, .json or .csv"
ENDINGS = frozenset({".html", ".json", ".csv"})

_ON = frozenset({"true", "1"})
_OFF = frozenset({"", "false", "0", "none"})


def peers_wanted(name: str, value: Any) -> tuple[str | type, ...]:
    """The parsers that the setting *name* lists; none when it is off.

    Text, as from `-s`, is read. Raises `SettingsError` when it is nothing of the kind.
    """
    if isinstance(value, str):
        word = value.strip().lower()
        is_flag = word in _ON | _OFF
        value = word in _ON if is_flag else listed(name, value, PARSERS)
    if value is None or isinstance(value, bool):
        return (BUILT_IN,) if value else ()
    if not isinstance(value, (list, tuple)) or not all(map(_may_be_parser, value)):
        refuse(name, value, PARSERS)
    return tuple(value)


def _may_be_parser(path: object) -> bool:
    """Whether *path* is a class of a parser or a text that may lead to one."""
    return bool(path) if isinstance(path, str) else is_parser(path)


def is_parser(kind: object) -> bool:
    """Whether *kind* is a class with what Scrapy asks of a parser."""
    return isinstance(kind, type) and all(
        callable(getattr(kind, name, None)) for name in ("from_crawler", "allowed")
    )


def report_wanted(name: str, value: Any) -> str | None:
    """The path of a report, its holes still open; `None` when none is wanted.

    Raises `SettingsError` when its ending says no form of a report.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, (str, Path)) or ending_of(str(value)) not in ENDINGS:
        refuse(name, value, REPORT)
    return str(value)


def ending_of(path: str) -> str:
    """The ending of *path*, in lower case."""
    return Path(path).suffix.lower()
