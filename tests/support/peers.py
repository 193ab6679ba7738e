"""The parsers of Scrapy, as arguments of a comparison."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from scrapy.robotstxt import (
    ProtegoRobotParser,
    PythonRobotParser,
    RerpRobotParser,
    RobotParser,
)

from scrapy_robots1994.compare.comparer import Comparer
from scrapy_robots1994.compare.parsers import Parser

if TYPE_CHECKING:
    from scrapy_robots1994.compare.parsers import ParsedFile

# It warns of each file that is not UTF-8.
logging.getLogger("scrapy.robotstxt").disabled = True


def _read(kind: type[RobotParser], body: bytes) -> ParsedFile:
    """Return *body* as a parser of class *kind* reads it."""
    return kind.from_crawler(None, body)  # type: ignore[arg-type]  # they allow it


def peer(kind: type[RobotParser]) -> Parser:
    """Return a parser of Scrapy's by its class."""
    return Parser(kind.__name__, partial(_read, kind))


PROTEGO, PYTHON, RERP = map(
    peer, (ProtegoRobotParser, PythonRobotParser, RerpRobotParser)
)
PEERS = (PROTEGO, PYTHON, RERP)


def comparer(*others: Parser) -> Comparer:
    """Return a comparison of ours with *others*, by default with all of Scrapy's."""
    return Comparer(others or PEERS, dialect="1994", reading="literal")
