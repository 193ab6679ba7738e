"""The parsers that the benchmarks compare, each used as in a crawler."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.robotparser import RobotFileParser

from scrapy_robots1994.robotstxt import RobotsTxt
from tools.bench.timing import OURS

if TYPE_CHECKING:
    from collections.abc import Callable

ROBOT = "examplebot"
ROBOTS_URL = "https://www.example.com/robots.txt"


@dataclass(frozen=True, slots=True)
class Side:
    """*policy* parses a file, and *asks* turns the result into a function that checks URLs."""

    name: str
    policy: Callable[[bytes], Any]
    asks: Callable[[Any], Callable[[str], bool]]


def _ours() -> Side:
    parse = RobotsTxt.parse
    return Side(
        OURS,
        lambda body: parse(body).rules(ROBOT),
        lambda ruling: ruling.allowed,
    )


def _protego() -> Side:
    parse = import_module("protego").Protego.parse

    # As in Scrapy, Protego looks up the robot for each URL.
    def asks(parsed: Any) -> Callable[[str], bool]:
        ask = parsed.can_fetch
        return lambda url: ask(url, ROBOT)

    return Side("Protego", lambda body: parse(body.decode("utf-8", "ignore")), asks)


def _urllib() -> Side:
    def policy(body: bytes) -> RobotFileParser:
        parser = RobotFileParser(ROBOTS_URL)
        parser.parse(body.decode("utf-8", "ignore").splitlines())
        return parser

    def asks(parser: RobotFileParser) -> Callable[[str], bool]:
        ask = parser.can_fetch
        return lambda url: ask(ROBOT, url)

    return Side("urllib.robotparser", policy, asks)


def _rerp() -> Side:
    make = import_module("robotexclusionrulesparser").RobotExclusionRulesParser

    def policy(body: bytes) -> Any:
        parser = make()
        parser.parse(body.decode("utf-8", "ignore"))
        return parser

    def asks(parser: Any) -> Callable[[str], bool]:
        ask = parser.is_allowed
        return lambda url: ask(ROBOT, url)

    return Side("robotexclusionrulesparser", policy, asks)


def all_sides() -> tuple[list[Side], list[str]]:
    """Return the installed parsers, ours first, and a message for each missing one."""
    found, missing = [], []
    for make in (_ours, _protego, _urllib, _rerp):
        try:
            found.append(make())
        except ImportError as error:  # noqa: PERF203 - only four iterations
            missing.append(f"{error.name} is not installed, so it is left out")
    return found, missing
