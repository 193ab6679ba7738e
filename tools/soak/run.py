"""Run one soak test, with separate processes for the server and the crawl."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class SoakResult:
    """The counts of the server and of the crawl, and the log of the crawl."""

    server: dict[str, Any]
    crawl: dict[str, Any]
    log: str

    @property
    def lost(self) -> int:
        """The number of requests without a call of callback or errback."""
        counts: dict[str, int] = self.crawl["counts"]
        return counts["requests"] - counts.get("ended", 0)

    def resident(self, share: float) -> tuple[int, int]:
        """Return the origins crawled and the resident megabytes at a share of all origins."""
        series: list[tuple[int, int]] = self.crawl["rss"]
        wanted = share * series[-1][0]
        origins, rss = next(point for point in series if point[0] >= wanted)
        return origins, round(rss / 1e6)


def soak(origins: int, seconds: float, seed: int = 1994) -> SoakResult:
    """Crawl *origins*, or as many as *seconds* allow."""
    module = [sys.executable, "-m"]
    with subprocess.Popen(
        [*module, "tools.soak.server", str(seed)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        crawl = subprocess.run(
            [*module, "tools.soak.crawl", str(origins), str(seconds), port],
            cwd=ROOT,
            capture_output=True,
            check=False,
            text=True,
        )
        server_counts, _ = server.communicate()
    if crawl.returncode or not crawl.stdout:
        raise RuntimeError(crawl.stderr)
    return SoakResult(json.loads(server_counts), json.loads(crawl.stdout), crawl.stderr)
