r"""Play the sessions in `tests/recorded`: commands and crawls, and what users see of them.

A session is a text file with sections, each under a heading `=== …`:

- `file NAME` contains a file, which is written to the folder of the session. A file whose name ends
  with `.gz` is compressed.
- `answer HOST/PATH [STATUS [NAME: VALUE; …]]` contains what the server sends. If a target has
  several answers, each is sent once, and the last one is repeated.
- `$ COMMAND` contains what the command prints to stdout, and `exit CODE` what it prints to stderr.
  The command `cat` prints files of the session, and `page` the text of a page in a browser.
  ` < FILE` gives the command a file as stdin. ` | grep PATTERN` keeps only the lines that match.
- `crawl` contains settings, arguments of the spider (in lower case), and URLs, one per line. A
  request begins when the requests above it have ended, but a request on an indented line begins
  together with the request above. `+ SECONDS` advances the clock.
- Four sections contain the results of a crawl. `log` contains the log lines of this package. `ends`
  says how each request ended, and lists the items. `stats` contains the stats whose names match
  `STATS`, and `requests` the requests that reached the server.

The server answers for all hosts under `test`, on port 80. In files and answers, `\xNN` stands for a
byte.
"""

from __future__ import annotations

import ast
import gzip
import json
import os
import re
import shlex
import socket
import sys
from collections import defaultdict
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from tests.support.child import shorten_pauses
from tests.support.clock import Clock
from tests.support.crawl import CrawlRequest, crawl_over_time
from tests.support.forked import ROOT, run_to_its_end
from tests.support.names import resolve_test_names
from tests.support.replies import Reply
from tests.support.stepping import SteppingSpider

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.crawl import Reactor
    from tests.support.site import Site

START = 1_767_225_600.0
"""The time at the start of each command and crawl: 2026-01-01T00:00:00Z."""

OUTPUT = ("exit", "log", "ends", "stats", "requests")
COMMANDS = {
    "scrapy": "scrapy.cmdline:execute",
    "robots-lint": "scrapy_robots1994.commands.robots_lint:main",
}
VARYING = {
    r"\b(Scrapy/|(Python|Scrapy|Protego|scrapy_robots1994|robots-lint) )\d[\w.]*": (
        r"\1VERSION"
    ),
    r'"(python|scrapy|scrapy_robots1994)": "[^"]+': r'"\1": "VERSION',
    r"(?<=choose from )[^)]*": "…",
    r"\nGlobal Options\n(.+\n)+": "",
    r"(?<=-)20[\dT-]{17}-[0-9a-f]{8}": "TIME-ID",
    r"(?<=-)20[\dT-]{17}(?=/)": "TIME",
    r"20\d\d-\d\d-\d\d \d\d:\d\d UTC": "TIME",
    r"\x1b": "ESC",
}
"""Patterns for text that changes from run to run, and their replacements."""

STATS = re.compile("^(robots|finish_reason|item_dropped)")

# Each message begins with \x1e, because it may contain several lines.
LOG_FORMAT = "\x1e%(name)s\x1f%(levelname)s: %(message)s"


def play(session: str, folder: Path, site: Site, reactor: Reactor) -> str:
    """Run the commands and crawls in *session* and return the session with their output."""
    played, *rest = re.split(r"^=== (.*)\n", session, flags=re.MULTILINE)
    answers = defaultdict[str, list[Reply]](list)
    for heading, body in zip(rest[::2], rest[1::2], strict=True):
        kind, _, argument = heading.partition(" ")
        if kind in OUTPUT:
            continue
        if kind in {"$", "crawl"}:
            answers = defaultdict(list)
        played += f"=== {heading}\n"
        if kind == "$":
            output = "".join(_command(argument, folder, site))
            played += _plain(output, folder)
            continue
        played += body
        if kind == "file":
            file = folder / argument
            file.parent.mkdir(parents=True, exist_ok=True)
            packed = gzip.compress if file.suffix == ".gz" else bytes
            file.write_bytes(packed(_bytes(body)))
        elif kind == "answer":
            target, *more = argument.split(" ", 2)
            host, _, path = target.partition("/")
            answers[target].append(_reply(path, *more, body=_bytes(body)))
            site.answer(f"/{path}", answers[target], at=host)
        else:
            output = "\n".join(_crawl(body.split("\n"), folder, site, reactor))
            played += _plain(output, folder)
    return played


def _bytes(text: str) -> bytes:
    return re.sub(
        rb"\\x([0-9a-f]{2})", lambda it: bytes([int(it[1], 16)]), text.encode()
    )


def _plain(text: str, folder: Path) -> str:
    text = text.replace(f"{folder}/", "")
    for pattern, word in VARYING.items():
        text = re.sub(pattern, word, text)
    return text


def _reply(path: str, status: str = "200", headers: str = "", *, body: bytes) -> Reply:
    kind = "text/plain" if path == "robots.txt" else "text/html"
    named = [it.partition(": ")[::2] for it in headers.split("; ") if it]
    return Reply(int(status), body, (("Content-Type", kind), *named))


def _command(line: str, folder: Path, site: Site) -> Iterator[str]:
    line, _, pattern = line.partition(" | grep ")
    line, _, named = line.partition(" < ")
    words = shlex.split(line)
    if words[0] == "cat":
        for path in sorted(folder.glob(words[1])):
            read = gzip.open if path.suffix == ".gz" else open
            with read(path, "rt", encoding="utf-8") as file:
                yield file.read()
        return
    if words[0] == "page":
        yield _page(f"{folder.as_uri()}/{words[1]}", folder)
        return
    known = {"PYTHONPATH": str(ROOT), "COLUMNS": "100", "PORT": str(site.port)}
    code, out, err = run_to_its_end(
        "tests.support.recorded:run_command",
        *words,
        folder=folder,
        env=os.environ | known,
        typed=(folder / named).read_text("utf-8") if named else "",
        warn=False,
    )
    ending = f"=== exit {code}\n" if code or err else ""
    for text, heading in (out, ""), (err, ending):
        yield heading
        lines = text.splitlines(keepends=True)
        yield from (it for it in lines if re.search(pattern, it))


def _page(url: str, folder: Path) -> str:
    from tests.support.browser import chromium  # noqa: PLC0415 - commands do not need selenium

    with chromium(folder / "profile") as browser:
        browser.get(url)
        text = str(browser.execute_script("return document.body.innerText"))
    return re.sub(r"\s*\n\s*", "\n", text).strip() + "\n"


def run_command() -> Any:
    sys.argv.pop(0)
    resolve_test_names()
    shorten_pauses()
    _prepare(int(os.environ["PORT"]))
    # On a slow machine, the note that answers are missing would be printed.
    import_module("scrapy_robots1994.commands.fetch_policies").NOTE_SECONDS = 3_600.0  # type: ignore[attr-defined]
    module, _, name = COMMANDS[sys.argv[0]].partition(":")
    return getattr(import_module(module), name)()


def _prepare(port: int) -> None:
    """Set the clock, redirect connections from port 80 to *port*, and retry without jitter."""
    Clock.stop_at(START)
    import_module("scrapy_robots1994.crawl.fetch").JITTER = 0.0  # type: ignore[attr-defined]

    def moved(name: str) -> Any:
        usual = getattr(socket.socket, name)
        here, there = ("127.0.0.1", 80), ("127.0.0.1", port)
        return lambda self, to: usual(self, there if to == here else to)

    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, moved(name))


class RecordedSpider(SteppingSpider):
    """For each page with directives or preferences in its meta, yields an item with them."""

    name = "walk"

    def parse_page(self, response: Any) -> Iterator[Any]:
        meta = response.meta
        stated = {key: str(it) for key, it in meta.items() if "robots1994_" in key}
        if stated:
            yield {"url": response.url} | stated
        yield from super().parse_page(response)


def prepare_crawl(crawler: Any) -> None:
    if crawler.settings["ROBOTS1994_CRAWL_DELAY"]:
        # A slot with a delay would wait forever if the clock were stopped.
        Clock.always_runs = True
    if crawler.settings["TEST_BOUNDS"]:
        import_module("tests.unit.bounds").shrink_in_crawl(crawler)
    _prepare(crawler.settings.getint("PORT"))


def _crawl(
    lines: list[str], folder: Path, site: Site, reactor: Reactor
) -> Iterator[str]:
    settings: dict[str, Any] = {"PORT": site.port, "LOG_FORMAT": LOG_FORMAT}
    arguments: dict[str, Any] = {}
    steps: list[Any] = []
    for line in filter(None, lines):
        name, is_setting, value = line.partition(" = ")
        url, _, options = line.strip().partition(" ")
        if is_setting:
            given = arguments if name.islower() else settings
            given[name] = ast.literal_eval(value.replace("FOLDER", str(folder)))
        elif url == "+":
            steps.append(float(options))
        else:
            request = CrawlRequest(url, **ast.literal_eval(options or "{}"))
            steps += [] if line.startswith(" ") else [[]]
            steps[-1].append(request)
    site.forget()
    spider = "tests.support.recorded:RecordedSpider"
    hook = "tests.support.recorded:prepare_crawl"
    result = crawl_over_time(
        *steps,
        spider=spider,
        hook=hook,
        settings=settings,
        spider_args=arguments,
        reactor=reactor,
        may_warn=reactor == "none",
    )
    # In a dry run, or if links are followed, the order varies from run to run.
    is_ordered = not ("follow" in arguments or "ROBOTS1994_DRY_RUN" in settings)
    in_order: Any = list if is_ordered else sorted
    records = (it.rstrip("\n").partition("\x1f") for it in result.log.split("\x1e"))
    yield "=== log"
    yield from in_order(
        text.partition("\nTraceback ")[0]
        for logger, _, text in records
        if logger == "scrapy_robots1994"
    )
    yield "=== ends"
    yield from in_order(
        f"{status} {urldefrag(url).url}" for url, status in result.fetched
    )
    yield from in_order(f"{it.name} {it.url}: {it.message}" for it in result.failed)
    yield from in_order(map(json.dumps, result.items))
    yield from filter(None, [result.error])
    yield "=== stats"
    for name in sorted(filter(STATS.search, result.stats)):
        yield f"{name}: {result.stats[name]}"
    yield "=== requests"
    yield from in_order(f"{it.method} {it.host}{it.target}" for it in site.log())
    yield ""
