"""Run Scrapy crawls, each in its own process, and return their results."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scrapy.settings import default_settings

from tests.support.forked import ForkedProcess
from tests.support.warned import printed, unexpected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Reactor = Literal["asyncio", "select", "none"]
Middleware = Literal["ours", "builtin", "off"]

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 120.0

OBEYING: dict[Middleware, dict[str, Any]] = {
    "ours": {"ROBOTSTXT_OBEY": True, "ADDONS": {"scrapy_robots1994.Addon": 500}},
    "builtin": {"ROBOTSTXT_OBEY": True},
    "off": {"ROBOTSTXT_OBEY": False},
}
QUIET: dict[str, Any] = {
    "LOG_LEVEL": "DEBUG",
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
}

COMPONENTS = "tests.support.components"

UNCLEAN = ("Traceback", "was never retrieved", "was never awaited", "was destroyed")

HOUR = 3_600.0
DAY = 24 * HOUR

ALL_EXTENSIONS: dict[str, Any] = {
    "ROBOTS1994_PAGES": True,
    "ROBOTS1994_CRAWL_DELAY": True,
}
"""Settings that `start_crawl` adds for our middleware if ROBOTS1994_TEST_BEYOND is set."""


def reactors() -> tuple[Reactor, ...]:
    """Return the reactors that this version of Scrapy supports.

    If ROBOTS1994_TEST_REACTORS is set, leave out reactors that it does not list.
    """
    known: list[Reactor] = ["asyncio", "select"]
    if hasattr(default_settings, "TWISTED_REACTOR_ENABLED"):
        known.append("none")
    wanted = os.environ.get("ROBOTS1994_TEST_REACTORS", ",".join(known)).split(",")
    chosen = tuple(reactor for reactor in known if reactor in wanted)
    if not chosen:
        message = f"ROBOTS1994_TEST_REACTORS={','.join(wanted)} leaves none of {known}"
        raise RuntimeError(message)
    return chosen


def http_handlers() -> list[tuple[Reactor, str]]:
    """Return pairs of a reactor and an HTTP download handler, where "" means Scrapy's default."""
    module = "scrapy.core.downloader.handlers"
    others = ("_aiohttp.AiohttpDownloadHandler", "_httpx.HttpxDownloadHandler")
    return [(reactor, "") for reactor in reactors()] + [
        ("asyncio", f"{module}.{path}")
        for path in others
        if find_spec(f"{module}.{path.partition('.')[0]}") and "asyncio" in reactors()
    ]


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    url: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "GET"
    priority: int = 0
    dont_filter: bool = True


@dataclass(frozen=True, slots=True)
class Failed:
    """`name` is the full name of the exception's class."""

    url: str
    name: str
    message: str
    verdict: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """What happened in a crawl. The lists are in the order of the events.

    `sent` contains the name of each recorded signal and the reprs of its arguments. `warnings`
    contains the category, message and file of each warning.
    """

    fetched: list[tuple[str, int]]
    failed: list[Failed]
    items: list[dict[str, Any]]
    stats: dict[str, Any]
    warnings: list[tuple[str, str, str]]
    sent: list[tuple[str, dict[str, str]]]
    error: str
    log: str
    returncode: int

    @property
    def fetched_urls(self) -> list[str]:
        return sorted(url for url, _ in self.fetched)

    @property
    def failed_urls(self) -> list[str]:
        return sorted(failed.url for failed in self.failed)

    @property
    def reasons(self) -> list[str | None]:
        """For each failed request, the reason for its refusal, or None if it was not refused."""
        return [it.verdict["reason"] if it.verdict else None for it in self.failed]

    @property
    def unclean(self) -> list[str]:
        return [
            it for it in self.log.split("\n") if any(part in it for part in UNCLEAN)
        ]

    def lines(self, *parts: str) -> list[str]:
        found = self.log.split("\n")
        return [line for line in found if all(part in line for part in parts)]


class Crawl:
    def __init__(
        self,
        job: dict[str, Any],
        timeout: float = TIMEOUT_SECONDS,
        *,
        may_warn: bool = False,
    ) -> None:
        self._timeout = timeout
        self._may_warn = may_warn
        self._folder = tempfile.TemporaryDirectory(prefix="crawl-")
        self.folder = Path(self._folder.name)
        (self.folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        with (
            (self.folder / "log.txt").open("wb") as log,
            Path(os.devnull).open() as empty,
        ):
            self._process = ForkedProcess(
                "tests.support.child:main",
                files=(empty.fileno(), log.fileno(), log.fileno()),
                folder=self.folder,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def has_ended(self) -> bool:
        return self._process.has_ended()

    def wait_for(self, text: str) -> None:
        path = self.folder / "log.txt"
        while True:
            # Read the log last, because the crawl may log the text and end at once.
            has_ended = self.has_ended()
            if text in path.read_text("utf-8", "replace"):
                return
            assert not has_ended, self.result()
            time.sleep(0.02)

    def send_sigint(self) -> None:
        os.kill(self.pid, signal.SIGINT)

    def interrupt(self) -> None:
        """Interrupt the crawl and return when it begins to close."""
        self.send_sigint()
        self.wait_for("Closing spider")

    def kill(self) -> None:
        """A killed crawl has no result."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def result(self) -> CrawlResult:
        """Wait until the crawl ends. This can be called only once."""
        try:
            returncode = self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            returncode = self._process.wait()
        log = (self.folder / "log.txt").read_text("utf-8", "replace")
        file = self.folder / "result.json"
        if not file.exists():
            self._folder.cleanup()
            message = f"the crawl ended with {returncode} and no result:\n{log}"
            raise AssertionError(message)
        result = json.loads(file.read_text("utf-8"))
        self._folder.cleanup()
        result["warnings"] = [*map(tuple, result["warnings"]), *printed(log)]
        warned = [] if self._may_warn else unexpected(result["warnings"])
        assert not warned, f"the crawl warned of {warned}:\n{log}"
        return CrawlResult(
            fetched=[(url, status) for url, status in result.pop("fetched")],
            failed=[Failed(**failed) for failed in result.pop("failed")],
            sent=[tuple(signal) for signal in result.pop("sent")],
            log=log,
            returncode=returncode,
            **result,
        )


def start_crawl(  # noqa: PLR0913 (keyword arguments of a crawl)
    urls: Sequence[str | CrawlRequest] = (),
    *,
    spider: str = "tests.support.child:RequestingSpider",
    settings: Mapping[str, Any] | None = None,
    reactor: Reactor = "asyncio",
    middleware: Middleware = "ours",
    spider_args: Mapping[str, Any] | None = None,
    signals: Sequence[str] = (),
    hook: str = "",
    timeout: float = TIMEOUT_SECONDS,
    may_warn: bool = False,
) -> Crawl:
    """Start a crawl that requests all `urls` at once.

    `spider` is a name in `tests.support.spiders`, and `hook` a name in `tests.support.hooks`;
    either may also be `module:name`. The hook is called with the crawler before the crawl starts.
    `signals` are the names of the Scrapy signals to record. Host names under `test` resolve to
    127.0.0.1. `result()` kills the crawl if it has not ended after `timeout` seconds, and raises
    `AssertionError` if the crawl left no result, or if it emitted an unexpected warning and
    `may_warn` is false.
    """
    requests = [CrawlRequest(each) if isinstance(each, str) else each for each in urls]
    is_extended = middleware == "ours" and "ROBOTS1994_TEST_BEYOND" in os.environ
    extensions = ALL_EXTENSIONS if is_extended else {}
    job = {
        "requests": [asdict(request) for request in requests],
        "spider": spider if ":" in spider else f"tests.support.spiders:{spider}",
        "spider_args": dict(spider_args or {}),
        "settings": QUIET | extensions | OBEYING[middleware] | dict(settings or {}),
        "reactor": reactor,
        "signals": list(signals),
        "hook": f"tests.support.hooks:{hook}" if hook and ":" not in hook else hook,
    }
    return Crawl(job, timeout, may_warn=may_warn)


def crawl(urls: Sequence[str | CrawlRequest] = (), **options: Any) -> CrawlResult:
    """Run a crawl with the arguments of `start_crawl` and return its result."""
    return start_crawl(urls, **options).result()


def crawl_changed(
    urls: Sequence[str],
    folder: Path,
    *,
    changes: Sequence[Sequence[str]] = (),
    settings: Mapping[str, Any] | None = None,
    paths: Sequence[Path] = (),
) -> dict[str, Any]:
    """Crawl in a new interpreter, with *changes* to Scrapy (see `changed_scrapy`).

    *paths* are put at the start of PYTHONPATH.
    """
    job = {
        "changes": changes,
        "requests": [asdict(CrawlRequest(each)) for each in urls],
        "spider": "tests.support.child:RequestingSpider",
        "spider_args": {},
        "settings": QUIET | OBEYING["ours"] | dict(settings or {}),
        "reactor": "asyncio",
        "signals": [],
        "hook": "",
    }
    file = folder / "job.json"
    file.write_text(json.dumps(job), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.changed_scrapy", str(file)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (*paths, ROOT)))},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads((folder / "result.json").read_text("utf-8"))
    return result | {"log": done.stderr}


def start_over_time(
    *steps: float | Sequence[str | CrawlRequest], **options: Any
) -> Crawl:
    """Start a crawl in *steps*.

    A step is a list of requests, or a number of seconds by which to advance the clock. Each
    step begins when all requests of the previous step have ended.
    """
    packed = [
        step
        if isinstance(step, (int, float))
        else [
            asdict(CrawlRequest(each) if isinstance(each, str) else each)
            for each in step
        ]
        for step in steps
    ]
    options["spider_args"] = {"steps": packed} | options.get("spider_args", {})
    options = {"spider": "tests.support.stepping:SteppingSpider"} | options
    return start_crawl(**options)


def crawl_over_time(
    *steps: float | Sequence[str | CrawlRequest], **options: Any
) -> CrawlResult:
    return start_over_time(*steps, **options).result()
