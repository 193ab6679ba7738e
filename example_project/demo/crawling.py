"""Run `scrapy crawl` in this project."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demo.server import LocalSites
    from demo.serving import Served

PROJECT = Path(__file__).resolve().parents[1]
WARNING = "] WARNING: "
TIME_LIMIT = 120
"""After this many seconds, a crawl is killed."""

OURS: dict[str, str] = {}
BUILTIN = {"ADDONS": "{}"}


class CrawlError(Exception):
    pass


@dataclass(frozen=True, slots=True)
class Finished:
    items: list[dict[str, Any]]
    stats: dict[str, Any]
    log: str


@dataclass(frozen=True, slots=True)
class Crawl:
    """`refused` and `failed` map URLs to reasons. `robots` counts the robots.txt requests to each
    host.
    """

    fetched: set[str]
    refused: dict[str, str]
    failed: dict[str, str]
    robots: Counter[str]
    stats: dict[str, Any]
    warnings: list[str]


def crawl(sites: LocalSites, served: Served, settings: Mapping[str, str]) -> Crawl:
    """Crawl all hosts with the spider `pages`. *settings* override those of the project."""
    sites.received.clear()
    done = scrapy_crawl("pages", served.start, settings)
    urls = [request.url for request in sites.received]
    items = done.items
    return Crawl(
        fetched={url for url in urls if url in served.allowed},
        refused={item["url"]: item["refused"] for item in items if "refused" in item},
        failed={item["url"]: item["failed"] for item in items if "failed" in item},
        robots=Counter(
            served.short(url)[0] for url in urls if url.endswith("/robots.txt")
        ),
        stats=done.stats,
        warnings=[
            line.split(WARNING)[1] for line in done.log.split("\n") if WARNING in line
        ],
    )


def scrapy_crawl(spider: str, start: str, settings: Mapping[str, str]) -> Finished:
    with tempfile.TemporaryDirectory() as folder:
        stats, items = Path(folder, "stats.json"), Path(folder, "items.json")
        command = [sys.executable, "-m", "scrapy", "crawl", spider]
        command += ["-a", f"start={start}", "-O", str(items)]
        for name, value in {**settings, "STATS_FILE": str(stats)}.items():
            command += ["-s", f"{name}={value}"]
        done = subprocess.run(
            command,
            cwd=PROJECT,
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT,
        )
        if done.returncode or not (items.exists() and stats.exists()):
            raise CrawlError(done.stderr[-3000:])
        return Finished(
            json.loads(items.read_text("utf-8")),
            json.loads(stats.read_text("utf-8")),
            done.stderr,
        )
