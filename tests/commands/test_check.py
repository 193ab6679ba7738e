"""`scrapy robots-check`: the verdict, its reason, and the exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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

    result = scrapy("robots-check", *urls, *OPTIONS[reactor])

    assert result.code == 1
    assert result.lines[0].split() == ["disallowed", urls[0], "line", "2"]
    assert result.lines[1].split() == ["allowed", urls[1]]
    assert result.lines[-1].startswith("1 allowed, 1 disallowed; checked as")
    assert site.targets() == ["/robots.txt"]


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


def project(folder: Path, settings: str = "", spider: str = "pass") -> Path:
    """Write a project whose spider "walk" has the class body *spider*."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = mine\n", "utf-8")
    (folder / "mine.py").write_text(f"SPIDER_MODULES = ['spiders']\n{settings}\n")
    (folder / "spiders.py").write_text(
        f"import scrapy\nclass Walk(scrapy.Spider):\n    name = 'walk'\n    {spider}\n"
    )
    return folder


def test_check_uses_the_settings_and_spider_of_the_project(
    site: Site, tmp_path: Path
) -> None:
    site.robots("User-agent: walker\nDisallow: /\n")
    project(
        tmp_path,
        "USER_AGENT = 'nobody'\nFEEDS = {'items.json': {'format': 'json'}}\n"
        "ROBOTS1994_EVIDENCE = 'evidence'\nCLOSESPIDER_PAGECOUNT = 1",
        "custom_settings = {'USER_AGENT': 'walker/1.0'}\n"
        "    start_urls = ['http://never.test/']",
    )

    urls = (site.url("/"), "--spider", "walk", "-s", "LOG_LEVEL=DEBUG")
    result = scrapy("robots-check", *urls, folder=tmp_path)

    assert result.code == 1
    assert result.lines[-1].endswith('checked as "walker/1.0"')
    assert f"{site.url('/robots.txt')}: HTTP 200" in result.err
    assert [it.headers["user-agent"] for it in site.log()] == ["walker/1.0"]
    assert not [it for it in ("items.json", "evidence") if (tmp_path / it).exists()]


def test_check_says_that_the_file_is_over_the_limit() -> None:
    args = ("--robots", "-", "/x", "-s", "ROBOTS1994_MAX_BYTES=20")
    for more, word in ((), "truncated"), (("--explain",), "ROBOTS1994_MAX_BYTES"):
        result = scrapy("robots-check", *args, *more, stdin_text=USAGE)
        assert word in result.out


def test_output_is_narrow_and_printable() -> None:
    draft = "User-agent: \x1b[1m, *\nDisallow: /\u202e\n" * 9
    args = ("--robots", "-", "/\u202e" + "x" * 300, "--robot", "\x1b[1m, *")

    result = scrapy("robots-check", *args, stdin_text=draft)

    assert result.code == 1
    assert max(map(len, result.lines)) <= 100
    assert all(map(str.isprintable, result.lines))


@pytest.mark.parametrize("length", [90, 400, 5_000])
def test_credentials_longer_than_the_column_are_not_printed(length: int) -> None:
    url = f"http://me:{'s' * length}@h.test/x"
    result = scrapy("robots-check", "--robots", "-", url, "--explain")

    assert result.code == 0
    assert "ss" not in result.lines[0]
