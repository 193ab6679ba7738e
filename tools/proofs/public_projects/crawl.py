"""Crawl in a copy of a public project, and compare with the expected outcome."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from tests.support.forked import ROOT
from tests.support.replies import Reply, status
from tests.support.site import Site
from tools.proofs.public_projects.spider_run import robots_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.site import Seen
    from tools.proofs.public_projects.spider_run import Expected, SpiderRun

REDIRECTION = Path(__file__).parent / "redirection"
ADDONS = 'ADDONS={"scrapy_robots1994.Addon": 500}'
TIMEOUT_SECONDS = 60.0
"""Seconds after which a crawl that has not ended counts as a difference."""

FORBIDDEN = re.compile(r"'robotstxt/forbidden': (\d+)")
REFUSED = "Forbidden by robots.txt"


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """The outcome of one crawl, and how it *differs* from the expected one."""

    pages: int
    items: int
    refused: int
    differs: list[str] = field(default_factory=list)


def crawl(run: SpiderRun, folder: Path, *, disallows: bool) -> CrawlResult:
    """Crawl in a copy of *folder*; with *disallows*, robots.txt disallows `run.closed`."""
    with Site(tls="valid") as site, tempfile.TemporaryDirectory() as name:
        _serve(site, run, disallows=disallows)
        # A copy, because a project writes into its folder: caches, files, images.
        copy = Path(name, "project")
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git"))
        if run.before:
            command = [sys.executable, run.before]
            subprocess.run(command, cwd=copy, check=True, stdout=subprocess.DEVNULL)
        found = Path(name, "items.jsonl")
        try:
            done = _crawl(run, copy, found, site)
        except subprocess.TimeoutExpired:
            return CrawlResult(0, 0, 0, [f"{run.spider} did not end"])
        # A crawl that failed writes no file, and its exit code says so.
        lines = found.read_text("utf-8") if found.exists() else ""
        items = [json.loads(line) for line in lines.splitlines()]
        return _judge(run, run.expected(disallows=disallows), site.log(), items, done)


def _serve(site: Site, run: SpiderRun, *, disallows: bool) -> None:
    """Serve the pages of all hosts of the run; any other URL is 404."""
    site.answer("*", status(404))
    for url, page in run.pages.items():
        origin, target = urljoin(url, "/")[:-1], urlsplit(url)._replace(scheme="")
        reply = Reply(200, page.body, (("Content-Type", page.kind),))
        if url != robots_of(url):
            site.answer(target._replace(netloc="").geturl(), reply, at=origin)
    if file := run.robots_file(disallows=disallows):
        site.robots(file)


def _crawl(
    run: SpiderRun, folder: Path, found: Path, site: Site
) -> subprocess.CompletedProcess[str]:
    """Run `scrapy crawl` in the folder of a project, with connections redirected."""
    ports = {"80": site.port, "443": urlsplit(site.secure_url()).port}
    settings = [ADDONS, *("=".join(each) for each in run.settings.items())]
    # A proxy of the machine would bypass the server.
    known = {key: value for key, value in os.environ.items() if "proxy" not in key}
    known = {key: value for key, value in known.items() if "PROXY" not in key}
    return subprocess.run(
        [
            *(sys.executable, "-m", "scrapy", "crawl", run.spider),
            *(word for each in settings for word in ("-s", each)),
            *("-O", f"{found}:jsonlines"),
        ],
        cwd=folder,
        env=known
        | {
            "PYTHONPATH": os.pathsep.join([str(REDIRECTION), str(ROOT)]),
            "ROBOTS1994_TEST_PORTS": json.dumps(ports),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


def _judge(
    run: SpiderRun,
    expected: Expected,
    seen: list[Seen],
    items: list[dict[str, Any]],
    done: subprocess.CompletedProcess[str],
) -> CrawlResult:
    """Compare requests, items, stats and log with the expected outcome."""
    requested = Counter(f"{each.scheme}://{each.host}{each.target}" for each in seen)
    robots = Counter(
        {url: requested.pop(url) for url in expected.robots if url in requested}
    )
    values = Counter(str(item[run.key]) for item in items)
    stat = FORBIDDEN.search(done.stderr)
    refused = int(stat[1]) if stat else 0
    differs = [
        *_unlike("requests", requested, Counter(expected.fetched)),
        *_unlike("robots.txt", robots, expected.robots),
        *_unlike("items", values, expected.items),
        *_log_problems(run, expected, done),
    ]
    if refused != len(expected.refused):
        differs.append(f"robotstxt/forbidden is {refused}, not {len(expected.refused)}")
    named = [f"{run.spider}: {each}" for each in differs]
    return CrawlResult(requested.total(), len(items), refused, named)


def _unlike(what: str, found: Counter[str], wanted: Counter[str]) -> Iterator[str]:
    """Yield the missing and the surplus elements of *found*."""
    for word, rest in (("missing", wanted - found), ("too many", found - wanted)):
        if rest:
            yield f"{what} {word}: {', '.join(sorted(rest.elements()))}"


def _log_problems(
    run: SpiderRun, expected: Expected, done: subprocess.CompletedProcess[str]
) -> Iterator[str]:
    """Yield the problems of the log and the exit code."""
    if done.returncode:
        yield f"exit code {done.returncode}:\n{done.stderr}"
    lines = done.stderr.splitlines()
    wrong = [line for line in lines if "Traceback" in line or " ERROR: " in line]
    yield from (f"logged: {line}" for line in wrong)
    refusals = [line for line in lines if REFUSED in line]
    if not expected.refused and refusals:
        yield f"logged: {refusals[0]}"
    for url in sorted(expected.refused):
        if not any(url in line and run.reason in line for line in refusals):
            yield f"the log does not say {run.reason} of {url}"
