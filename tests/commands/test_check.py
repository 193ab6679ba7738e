"""`scrapy robots-check`: the verdict, its reason, and the exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.commands import scrapy
from tests.support.crawl import Reactor
from tests.support.site import Site

OPTIONS = {
    "asyncio": [],
    "select": ["-s", "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"],
    "none": ["-s", "TWISTED_REACTOR_ENABLED=0"],
}


def test_check_fetches_robots_txt_once_and_prints_the_line(
    site: Site, reactor: Reactor
) -> None:
    site.robots("User-agent: *\nDisallow: /private\n")
    urls = (site.url("/private"), site.url("/"))

    options = ("-s", "USER_AGENT=walker/1.0", "-s", "LOG_LEVEL=DEBUG")
    result = scrapy("robots-check", *urls, *options, *OPTIONS[reactor])

    assert result.code == 1
    assert result.lines[0].split() == ["disallowed", urls[0], "line", "2"]
    assert result.lines[1].split() == ["allowed", urls[1]]
    assert result.lines[-1].startswith("1 allowed, 1 disallowed; checked as")
    assert f"{site.url('/robots.txt')}: HTTP 200" in result.err
    sent = [(it.target, it.headers["user-agent"]) for it in site.log()]
    assert sent == [("/robots.txt", "walker/1.0")]


USAGE = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /closed\n"


def test_missing_extra_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(USAGE)
    hidden = (
        "import sys; sys.modules['http_sf'] = None; from scrapy.cmdline import execute"
    )
    for args, code in (("--explain", "/closed"), 1), (("--purpose", "search", "/x"), 2):
        given = ["scrapy", "robots-check", "--robots", "r.txt", *args]
        ended = subprocess.run(
            [sys.executable, "-c", f"{hidden}; execute({given!r})"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert ended.returncode == code
        shown = " ".join((ended.stdout + ended.stderr).split())
        assert "pip install 'scrapy_robots1994[usage]'" in shown
