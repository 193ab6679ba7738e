"""Hostile files of any size, and the operations that they might slow down."""

from __future__ import annotations

from time import process_time_ns
from typing import TYPE_CHECKING

from scrapy_robots1994.commands.lint_report import Report, as_text
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Callable

_LINES_OF_A_RECORD = (
    "Disallow: /d{0}\nAllow: /a{0}\nDisallow: /d{0}*\nDisallow: /*d{0}\nDisallow: /{0}/*x$\n"
    "Allow: /a{0}*x\nAllow: /*{0}\nCrawl-delay: {0}\nSitemap: http://h/{0}\nFoo: {0}\n"
    "Disallow: http://h/{0}\nDisallow: d{0}\nDisalow: /x{0}\nDisallow: /a /b{0}\n# {0}\n"
    "Disallow: /%41{0}%zz\nDisallow:\nnocolon {0}\nDisallow: /a{0} User-agent: x\n"
    "Content-Signal: ai-train=no, search={0}\nContent-Usage: /{0} train-ai=n\n"
    "Disallow: /x\u200b{0}\nRequest-rate: 1/{0}\nDisallow /q{0}\n"
)
_OTHER_LINES = (
    "User-agent: u{0}\nAllow: /{0}\n\nDisallow: /o{0}\nUser-agent: *\nAllow: /{0}\n"
    "User-agent: bot{0}, x\nAllow: /\nUser-agent: x/{0}\nDisallow: /\n"
)

# Each function returns a file of about the given size in bytes.
HOSTILE: dict[str, Callable[[int], str]] = {
    "records": lambda size: _numbered("User-agent: {0}\nDisallow: /{0}\n\n", size),
    "records for all": lambda size: _repeated("User-agent: *\nDisallow: /x\n\n", size),
    "records with a slip": lambda size: _repeated("User-agent:*\nDisallow:a\n", size),
    "records without rule": lambda size: _repeated("User-agent:*\n\n", size),
    "split records": lambda size: _repeated("User-agent:a\n\nDisallow:/\n", size),
    "agents": lambda size: _numbered("User-agent: {}\n", size) + "Disallow: /\n",
    "agents below a slip": lambda size: (
        _repeated("User-agent: a\nDisalow: /\n", size) + "User-agent: *\nDisallow: /\n"
    ),
    "agents of a letter": lambda size: _repeated("User-agent:a\n", size),
    "rules": lambda size: "User-agent: *\n" + _numbered("Disallow: /{}\n", size),
    "nested rules": lambda size: "User-agent: *\n" + _nested(size),
    "rules and exceptions": lambda size: (
        "User-agent: *\n" + _numbered("Disallow: /d{0}\nAllow: /a{0}\n", size)
    ),
    "a record of all lines": lambda size: (
        "User-agent: *\n" + _numbered(_LINES_OF_A_RECORD, size)
    ),
    "all lines": lambda size: _numbered(_LINES_OF_A_RECORD + _OTHER_LINES, size),
    "orphans": lambda size: _repeated("Disallow:/\n", size),
    "unknown fields": lambda size: _numbered("Disal{}: /\n", size),
    "no colon": lambda size: _numbered("Disallow /{}\n", size),
    "one line": lambda size: "User-agent: *\nDisallow: /" + "a" * size,
    "one name": lambda size: "User-agent: " + "a " * (size // 2),
    "one escaped line": lambda size: "User-agent: *\nDisallow: /" + "%2F" * (size // 3),
    "one spaced line": lambda size: "User-agent: *\nDisallow: /" + " /" * (size // 2),
    "one header": lambda size: "User-agent: x(" + "/" * size,
    "one spaced value": lambda size: "User-agent: *\nDisallow: /" + " " * size + "x",
    "all #": lambda size: "#" * size,
    "all colons": lambda size: ":" * size,
    "spaces before a field": lambda size: (
        f"User-agent: *\nDisallow: /{' ' * size}x Disallow: /"
    ),
    "open templates": lambda size: "User-agent: *\nDisallow: " + "${" * (size // 2),
    "all quotes": lambda size: "'" * size + "x: y",
    "all CR": lambda size: "\r" * size,
    "all NL": lambda size: "\n" * size,
    "all spaces": lambda size: " " * size,
    "names with bars": lambda size: "User-agent: " + "bot | " * (size // 6),
    "all commas": lambda size: "User-agent: " + "," * size,
    "all slashes": lambda size: "User-agent: *\nDisallow: " + "/" * size,
    "all NUL": lambda size: "\x00" * size,
    "a page": lambda size: "<html>\n" + _repeated("<a href=x>:</a>\n", size),
}


def _repeated(unit: str, size: int) -> str:
    return unit * (size // len(unit) + 1)


def _numbered(unit: str, size: int) -> str:
    count = size // (len(unit) + 4) + 1
    return "".join(unit.format(number) for number in range(count))


def _nested(size: int) -> str:
    """Return rules that total about *size* bytes, each one character longer than the one before."""
    depth = int((2 * size) ** 0.5)
    return "".join(f"Disallow: /{'a' * length}\n" for length in range(depth))


OPERATIONS: dict[str, Callable[[RobotsTxt], object]] = {
    "rules": lambda robots: robots.rules("rex").allowed("/a"),
    "verdict": lambda robots: robots.verdict("/" + "a" * 99, "rex"),
    "weakening": lambda robots: robots.weakening_problems("rex"),
    "problems": lambda robots: robots.problems,
    "report": lambda robots: list(as_text(Report("x", robots), lambda it, _: it)),
}


def cost(body: str, operation: str, times: int = 3, dialect: str = "1994") -> float:
    """Return the CPU time of the fastest of *times* runs, in nanoseconds per character."""
    least = float("inf")
    for _ in range(times):
        robots = RobotsTxt.parse(body, dialect=dialect)
        start = process_time_ns()
        OPERATIONS[operation](robots)
        least = min(least, process_time_ns() - start)
    return least / len(body)
