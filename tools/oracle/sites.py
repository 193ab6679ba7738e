"""Compare the decisions of the dialect `rfc9309` with google/robotstxt and Protego.

`python -m tools.oracle.sites [CORPUS]` checks one URL for each Allow and Disallow line, with
Scrapy's default User-Agent, and counts the differences by cause. CORPUS is a folder or a tar
archive. By default, generated files (`tests/support/corpus.py`) are used. google/robotstxt is
included if its Python binding is installed (`pip install jwm.robotstxt`).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from protego import Protego
from scrapy import Request
from scrapy.robotstxt import decode_robotstxt
from scrapy.settings.default_settings import USER_AGENT

from scrapy_robots1994 import RobotsTxt
from tests.oracle.lines import Field, fields
from tests.oracle.names import robot_names
from tests.support.corpus import generated_files
from tools.bench.corpus import read_files
from tools.oracle import causes

MAX_QUESTIONS = 4_000
"""The maximum number of URLs per file. If there are more, only every n-th URL is checked."""

PROTEGO, GOOGLE = "Protego", "google/robotstxt"
HAS_GOOGLE = find_spec("jwm") is not None


class Difference(NamedTuple):
    program: str
    cause: str
    file: str
    url: str


def google_allows(body: bytes, url: str) -> bool:
    matcher = import_module("jwm.robotstxt.googlebot").RobotsMatcher()
    token = next(iter(robot_names(USER_AGENT)), "")
    return bool(matcher.OneAgentAllowedByRobots(body, token.encode(), url.encode()))


def question_urls(host: str, body: bytes) -> list[str]:
    """Return a URL for each Allow and Disallow line, as Scrapy would request it.

    Each `*` is replaced with a letter, and a final `$` is removed.
    """
    found: dict[str, None] = {}
    for line in fields(body):
        if not isinstance(line, Field) or line.name not in ("allow", "disallow"):
            continue
        path = line.value.removesuffix("$").replace("*", "x")
        path = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if not path.startswith(("/", "http://", "https://")):
            path = "/" + path
        url = path if path.startswith("http") else f"http://{host}{path}"
        try:
            found[Request(url).url] = None
        except ValueError:
            # Scrapy cannot request this URL.
            continue
    urls = list(found)
    return urls[:: -(-len(urls) // MAX_QUESTIONS)] if urls else []


def protego_allows(body: bytes, url: str) -> bool:
    return bool(Protego.parse(decode_robotstxt(body, None)).can_fetch(url, USER_AGENT))


def examine(file: tuple[str, bytes]) -> tuple[int, list[Difference]]:
    name, body = file
    protego = Protego.parse(decode_robotstxt(body, None))
    ours = RobotsTxt.parse(body, dialect="rfc9309")
    found = []
    urls = question_urls(name, body)
    for url in urls:
        allowed = ours.allowed(url, USER_AGENT)
        differing = {}
        # `protego_allows` would parse the file again.
        if protego.can_fetch(url, USER_AGENT) != allowed:
            differing[PROTEGO] = protego_allows
        if HAS_GOOGLE and google_allows(body, url) != allowed:
            differing[GOOGLE] = google_allows
        for program, ask in differing.items():
            cause = causes.of_difference(body, url, USER_AGENT, allowed, ask)
            found.append(Difference(program, cause, name, url))
    return len(urls), found


def table(program: str, asked: int, found: list[Difference]) -> str:
    mine = [it for it in found if it.program == program]
    agree = asked - len(mine)
    lines = [
        f"rfc9309 agrees with {program}: {agree:,} of {asked:,} ({agree / (asked or 1):.2%})"
    ]
    for cause, count in Counter(it.cause for it in mine).most_common():
        one = next(it for it in mine if it.cause == cause)
        lines.append(f"{count:7,}  {cause}, for example {one.file}: {one.url[:90]}")
    return "\n".join(lines) + "\n\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.oracle.sites")
    parser.add_argument("corpus", nargs="?", help="folder or tar archive")
    options = parser.parse_args(arguments)
    named = options.corpus
    files = read_files(Path(named)) if named else generated_files()
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(examine, files, chunksize=20))
    asked = sum(count for count, _ in results)
    found = [it for _, some in results for it in some]
    for program in (GOOGLE, PROTEGO) if HAS_GOOGLE else (PROTEGO,):
        sys.stdout.write(table(program, asked, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
