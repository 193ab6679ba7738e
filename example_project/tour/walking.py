"""Runs ``scrapy crawl walk`` in the project and returns what came of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.site import Site
    from tour.opening import Opened

PROJECT = Path(__file__).resolve().parents[1]
LOUD = "] WARNING: "
PATIENCE = 120
"""Seconds after which a crawl is given up."""

# HTML where the extra `report` is there, as in the environment that `run` makes.
ENDING = ".html" if all(map(find_spec, ("jinja2", "pygal"))) else ".json"
REPORT = PROJECT / f"compared{ENDING}"
"""Where our crawl leaves what the built-in's parser would have decided."""

OURS: dict[str, str] = {
    "ROBOTS1994_COMPARE": "True",
    "ROBOTS1994_COMPARE_REPORT": str(REPORT).replace("%", "%%"),
}
BUILTIN = {"ADDONS": "{}"}
"""The same project with our one line taken out."""


class CrawlError(Exception):
    """The crawl did not end well; the message is the end of its log."""


@dataclass(frozen=True, slots=True)
class Walk:
    """One crawl: pages got, pages refused and why, pages lost, and what was asked.

    ``robots`` counts the requests for each host's robots.txt as the server saw them,
    ``warnings`` are those of the log.
    """

    fetched: set[str]
    refused: dict[str, str]
    lost: dict[str, str]
    robots: Counter[str]
    stats: dict[str, Any]
    warnings: list[str]


def walk(site: Site, town: Opened, settings: dict[str, str]) -> Walk:
    """Crawl the town with the project's settings and ``settings`` on top."""
    site.forget()
    with tempfile.TemporaryDirectory() as folder:
        stats, items = Path(folder, "stats.json"), Path(folder, "items.json")
        log = _scrapy(town.start, items, {**settings, "STATS_FILE": str(stats)})
        noted = json.loads(items.read_text("utf-8"))
        found = json.loads(stats.read_text("utf-8"))
    asked = [f"http://{seen.host}{seen.target}" for seen in site.log()]
    return Walk(
        fetched={url for url in asked if url in town.welcome},
        refused={item["url"]: item["refused"] for item in noted if "refused" in item},
        lost={item["url"]: item["lost"] for item in noted if "lost" in item},
        robots=Counter(
            town.short(url)[0] for url in asked if url.endswith("/robots.txt")
        ),
        stats=found,
        warnings=[line.split(LOUD)[1] for line in log.split("\n") if LOUD in line],
    )


def _scrapy(start: str, items: Path, settings: dict[str, str]) -> str:
    """Run the command that a user would type; return its log."""
    command = [sys.executable, "-m", "scrapy", "crawl", "walk"]
    command += ["-a", f"start={start}", "-O", str(items)]
    for name, value in settings.items():
        command += ["-s", f"{name}={value}"]
    done = subprocess.run(
        command,
        cwd=PROJECT,
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
        timeout=PATIENCE,
    )
    if done.returncode or not items.exists() or not items.stat().st_size:
        raise CrawlError(done.stderr[-3000:])
    return done.stderr
