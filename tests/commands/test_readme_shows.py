"""What the README shows of each command is what the command prints."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from tests.commands.running import ROOT, scrapy
from tests.support import replies
from tests.support.crawl import crawl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

README = (ROOT / "README.md").read_text("utf-8")
LINTED = """User-agent: *
Disallow: /tmp

Disallow: /private
Disalow: /secret
Sitemap: https://example.com/sitemap.xml
"""
HALL = """# the hall
User-agent: *
Disallow: /

User-agent: townwalker
Disallow: /cellar
Disallow: /archive
"""


def shown(command: str) -> tuple[list[str], str]:
    """The arguments of `scrapy *command*` as the README types them, and its answer."""
    block = re.search(rf"```console\n\$ scrapy ({command} .*)\n([^`]*)```", README)
    assert block is not None
    return shlex.split(block[1]), block[2]


def words(text: str) -> list[str]:
    """What *text* says, however wide its lines are."""
    return text.split()


def test_every_console_block_is_tested_here() -> None:
    """A new one must bring its test."""
    found = re.findall(r"```console\n\$ scrapy (\S+)", README)

    assert found == ["robots-check", "robots-lint", "robots-compare", "robots-store"]


def test_robots_check(site: Site) -> None:
    """Its verdicts, with a server on loopback for the host of the README."""
    typed, answer = shown("robots-check")
    site.robots(HALL)
    here = [part.replace("https://example.com", site.url("")) for part in typed]

    ran = scrapy(*here)

    assert words(ran.out.replace(site.url(""), "https://example.com")) == words(answer)


def test_robots_lint(tmp_path: Path) -> None:
    """Every line of its report."""
    typed, answer = shown("robots-lint")
    (tmp_path / "robots.txt").write_text(LINTED)

    assert scrapy(*typed, folder=tmp_path).out.rstrip() == answer.rstrip()


def test_robots_compare(tmp_path: Path) -> None:
    """Its table, and the report that it writes."""
    typed, answer = shown("robots-compare")
    (tmp_path / "robots.txt").write_text(LINTED)

    said = scrapy(*typed, folder=tmp_path).out.partition("\ntime: ")[0]
    assert said.rstrip() == answer.rstrip()
    assert (tmp_path / "report.html").exists()


def test_robots_store(site: Site, tmp_path: Path) -> None:
    """Its lines but for what passes with time, with hosts on loopback."""
    typed, answer = shown("robots-store")
    site.robots("User-agent: *\nDisallow: /x\n#".ljust(143, "."), at="www.example.test")
    site.answer("/robots.txt", replies.status(503), at="old.example.test")
    kept = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    there = {
        site.url("", host="www.example.test"): "https://www.example.com",
        site.url("", host="old.example.test"): "http://old.example.com",
    }
    crawl([f"{url}/" for url in there], settings=kept)

    here = [part.replace("example.com", "example.test") for part in typed]
    said = scrapy(*here, folder=tmp_path).out
    for url, name in there.items():
        said = said.replace(url, name)

    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +(fresh|stale)"
    said, answer = (re.sub(time, "TIME", text) for text in (said, answer))
    assert sorted(map(words, said.splitlines())) == sorted(
        map(words, answer.splitlines())
    )
