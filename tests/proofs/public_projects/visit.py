"""Runs one errand in a copy of the project, and says what differs from what is due."""

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

from tests.proofs.public_projects.errand import robots_of
from tests.support.forked import ROOT
from tests.support.replies import Reply, status
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.proofs.public_projects.errand import Due, Errand
    from tests.support.site import Seen

WORLD = Path(__file__).parent / "world"
ADDONS = 'ADDONS={"scrapy_robots1994.Addon": 500}'
PATIENCE = 60.0
"""Seconds until a crawl that does not end is a difference."""

FORBIDDEN = re.compile(r"'robotstxt/forbidden': (\d+)")
REFUSED = "Forbidden by robots.txt"


@dataclass(frozen=True, slots=True)
class Visit:
    """What came of one crawl, and how it *differs* from what was due."""

    pages: int
    items: int
    refused: int
    differs: list[str] = field(default_factory=list)


def visit(errand: Errand, folder: Path, *, closes: bool) -> Visit:
    """Crawl in a copy of *folder*; the robots.txt *closes* what the errand names."""
    with Site(tls="valid") as site, tempfile.TemporaryDirectory() as name:
        _serve(site, errand, closes=closes)
        # A copy, for a project writes into its folder: caches, files, images.
        copy = Path(name, "project")
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".git"))
        if errand.before:
            ahead = [sys.executable, errand.before]
            subprocess.run(ahead, cwd=copy, check=True, stdout=subprocess.DEVNULL)
        found = Path(name, "items.jsonl")
        try:
            done = _crawl(errand, copy, found, site)
        except subprocess.TimeoutExpired:
            return Visit(0, 0, 0, [f"{errand.spider} did not end"])
        # Where the crawl came to nothing there is no file, and its exit code says why.
        written = found.read_text("utf-8") if found.exists() else ""
        items = [json.loads(line) for line in written.splitlines()]
        return _judge(errand, errand.due(closes=closes), site.log(), items, done)


def _serve(site: Site, errand: Errand, *, closes: bool) -> None:
    """Answer for all hosts of the errand; what is no page of it is 404."""
    site.answer("*", status(404))
    for url, page in errand.pages.items():
        origin, target = urljoin(url, "/")[:-1], urlsplit(url)._replace(scheme="")
        reply = Reply(200, page.body, (("Content-Type", page.kind),))
        if url != robots_of(url):
            site.answer(target._replace(netloc="").geturl(), reply, at=origin)
    if file := errand.robots_file(closes=closes):
        site.robots(file)


def _crawl(
    errand: Errand, folder: Path, found: Path, site: Site
) -> subprocess.CompletedProcess[str]:
    """Type `scrapy crawl` in the folder of a project, in our world."""
    world = {"80": site.port, "443": urlsplit(site.secure_url()).port}
    settings = [ADDONS, *("=".join(each) for each in errand.settings.items())]
    # What the machine around it says of proxies would lead past the server.
    known = {key: value for key, value in os.environ.items() if "proxy" not in key}
    known = {key: value for key, value in known.items() if "PROXY" not in key}
    return subprocess.run(
        [
            *(sys.executable, "-m", "scrapy", "crawl", errand.spider),
            *(word for each in settings for word in ("-s", each)),
            *("-O", f"{found}:jsonlines"),
        ],
        cwd=folder,
        env=known
        | {
            "PYTHONPATH": os.pathsep.join([str(WORLD), str(ROOT)]),
            "ROBOTS1994_WORLD": json.dumps(world),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )


def _judge(
    errand: Errand,
    due: Due,
    seen: list[Seen],
    items: list[dict[str, Any]],
    done: subprocess.CompletedProcess[str],
) -> Visit:
    """Compare with what is due what the server saw, the spider found, the log says."""
    asked = Counter(f"{each.scheme}://{each.host}{each.target}" for each in seen)
    robots = Counter({url: asked.pop(url) for url in due.robots if url in asked})
    values = Counter(str(item[errand.key]) for item in items)
    stat = FORBIDDEN.search(done.stderr)
    refused = int(stat[1]) if stat else 0
    differs = [
        *_unlike("requests", asked, Counter(due.fetched)),
        *_unlike("robots.txt", robots, due.robots),
        *_unlike("items", values, due.items),
        *_said(errand, due, done),
    ]
    if refused != len(due.refused):
        differs.append(f"robotstxt/forbidden is {refused}, not {len(due.refused)}")
    told = [f"{errand.spider}: {each}" for each in differs]
    return Visit(asked.total(), len(items), refused, told)


def _unlike(what: str, found: Counter[str], wanted: Counter[str]) -> Iterator[str]:
    """What is missing and what is too much."""
    for word, rest in (("missing", wanted - found), ("too many", found - wanted)):
        if rest:
            yield f"{what} {word}: {', '.join(sorted(rest.elements()))}"


def _said(
    errand: Errand, due: Due, done: subprocess.CompletedProcess[str]
) -> Iterator[str]:
    """What is wrong with the log and the exit code."""
    if done.returncode:
        yield f"exit code {done.returncode}:\n{done.stderr}"
    lines = done.stderr.splitlines()
    wrong = [line for line in lines if "Traceback" in line or " ERROR: " in line]
    yield from (f"logged: {line}" for line in wrong)
    refusals = [line for line in lines if REFUSED in line]
    if not due.refused and refusals:
        yield f"logged: {refusals[0]}"
    for url in sorted(due.refused):
        if not any(url in line and errand.reason in line for line in refusals):
            yield f"the log does not say {errand.reason} of {url}"
