"""Races of the dialect rfc9309: against Protego, and google/robotstxt by its bindings.

google/robotstxt reads the whole file for each question: its sides take part where files
are read, and in the race of one question with the file read again.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from scrapy_robots1994.robotstxt import RobotsTxt
from tools.bench.parsing import POLICIES, URLS
from tools.bench.sides import ROBOT
from tools.bench.timing import OURS, Result, race

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Asks = Callable[[str], bool]
    Reads = Callable[[bytes], Asks]

PROTEGO = "Protego"
HOSTILE = {
    "wildcards": b"Disallow: /" + b"*a" * 30 + b"b\n",
    "wildcards in many rules": b"".join(
        b"Disallow: /*%d*a*a*a*b$\n" % number for number in range(500)
    ),
    "nested prefixes": b"".join(b"Allow: /" + b"a" * n + b"\n" for n in range(500)),
}
"""Rules that make a backtracking matcher slow for LONG_URL."""

LONG_URL = "https://www.example.com/" + "a" * 100


def _ours(body: bytes) -> Asks:
    """Parse a file with this package."""
    return RobotsTxt.parse(body, dialect="rfc9309").rules(ROBOT).allowed


def _protego(body: bytes) -> Asks:
    """Parse a file with Protego."""
    ask = import_module("protego").Protego.parse(body.decode("utf-8", "ignore"))
    return lambda url: bool(ask.can_fetch(url, ROBOT))


def _jwm() -> Reads:
    """Return the side of the binding jwm.robotstxt."""
    ask = import_module("jwm.robotstxt.googlebot").RobotsMatcher()
    robot = ROBOT.encode()

    def read(body: bytes) -> Asks:
        return lambda url: bool(ask.OneAgentAllowedByRobots(body, robot, url.encode()))

    return read


def _fast_robotstxt() -> Reads:
    """Return the side of the binding fast-robotstxt."""
    ask = import_module("robotstxt").RobotsMatcher()

    def read(body: bytes) -> Asks:
        text = body.decode("utf-8", "ignore")
        return lambda url: bool(ask.is_allowed(text, ROBOT, url))

    return read


def sides() -> dict[str, Reads]:
    """Return every side whose library is installed, ours first."""
    found: dict[str, Reads] = {OURS: _ours, PROTEGO: _protego}
    bindings = {
        "google/robotstxt (jwm.robotstxt)": _jwm,
        "google/robotstxt (fast-robotstxt)": _fast_robotstxt,
    }
    for name, make in bindings.items():
        try:
            found[name] = make()
        except ImportError:  # noqa: PERF203 - twice, once
            continue
    return found


def rfc9309(files: Sequence[bytes], rounds: int) -> Iterator[Result]:
    """Time questions to a file that is read for them, to a known policy, and to hostile files."""
    readers = sides()
    for what, urls in ("once", URLS[1:2]), ("eight times", URLS):
        reading = {
            name: partial(_answered, read, files, urls)
            for name, read in readers.items()
        }
        values = race(reading, rounds=rounds, per=len(files))
        yield Result(f"rfc9309: read a file, and ask {what}", "s", values, PROTEGO)
    some = files[:: max(len(files) // POLICIES, 1)]
    knowing = _asking({OURS: _ours, PROTEGO: _protego}, some, URLS)
    values = race(knowing, rounds=rounds, per=len(URLS) * len(some))
    yield Result("rfc9309: one question, policy known", "s", values, PROTEGO)
    for what, rules in HOSTILE.items():
        asking = _asking(readers, [b"User-agent: *\n" + rules], [LONG_URL])
        values = race(asking, rounds=rounds)
        yield Result(f"rfc9309: one question, {what}", "s", values, PROTEGO)


def _answered(read: Reads, files: Sequence[bytes], urls: Sequence[str]) -> None:
    """Read each of *files*, and ask it about *urls*."""
    for body in files:
        ask = read(body)
        for url in urls:
            ask(url)


def _asking(
    readers: Mapping[str, Reads], files: Sequence[bytes], urls: Sequence[str]
) -> dict[str, Callable[[], object]]:
    """Return for each side a function that asks all parsed *files* about *urls*."""

    def all_of(asks: list[Asks]) -> list[bool]:
        return [ask(url) for ask in asks for url in urls]

    return {
        name: partial(all_of, [read(body) for body in files])
        for name, read in readers.items()
    }
