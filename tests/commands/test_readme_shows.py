"""What the README shows of each command is what the command prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_robots1994.comparison.causes import Cause
from tests.commands.running import scrapy
from tests.support import replies
from tests.support.corpus import generated_files
from tests.support.crawl import crawl
from tests.support.readme import told, typed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

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


def words(text: str) -> list[str]:
    """What *text* says, however wide its lines are."""
    return text.split()


def test_robots_check(site: Site) -> None:
    """Its verdicts, with a server on loopback for the host of the README."""
    command = (
        "scrapy robots-check https://example.com/ https://example.com/archive/7 "
        "--robot townwalker"
    )
    _, *args = typed(command)
    site.robots(HALL)
    here = [part.replace("https://example.com", site.url("")) for part in args]

    ran = scrapy(*here)

    said = ran.out.replace(site.url(""), "https://example.com")
    assert words(said) == words(told(command))


def test_robots_check_of_one_url(site: Site) -> None:
    """The short form says of an allowed page what a request does not carry."""
    site.robots(HALL)
    _, *args = typed("scrapy robots-check URL", URL=site.url("/elsewhere"))

    ran = scrapy(*args, "--robot", "townwalker")

    assert ran.code == 0
    assert 'no rule of the record for "townwalker" (line 5) covers' in ran.out


def test_robots_lint(tmp_path: Path) -> None:
    """Every line of its report."""
    _, *args = typed("scrapy robots-lint robots.txt")
    (tmp_path / "robots.txt").write_text(LINTED)

    said = scrapy(*args, folder=tmp_path).out

    assert said.rstrip() == told("scrapy robots-lint robots.txt").rstrip()


def test_robots_lint_counts_over_a_folder(tmp_path: Path) -> None:
    """Its summary has the columns that the table of codes is made of."""
    (tmp_path / "robots.txt").write_text(LINTED)
    _, *args = typed("scrapy robots-lint --summary FOLDER", FOLDER=tmp_path)

    ran = scrapy(*args)

    assert ran.lines[0].split()[:2] == ["code", "files"]
    assert [line.split()[:2] for line in ran.lines[1:4]] == [
        ["R001", "1"],
        ["R018", "1"],
        ["R020", "1"],
    ]


def test_robots_compare(tmp_path: Path) -> None:
    """Its table, and the report that it writes."""
    command = "scrapy robots-compare robots.txt --robot townwalker --report report.html"
    _, *args = typed(command)
    (tmp_path / "robots.txt").write_text(LINTED)

    ran = scrapy(*args, folder=tmp_path)

    said, shown = ran.out.rstrip() + "\n" + ran.err, told(command)
    assert said.partition("\ntime: ")[0] == shown.partition("\ntime: ")[0]
    times = re.compile(r"\d+ %,?")
    last, written = (
        times.sub("N", it.partition("\ntime: ")[2]) for it in (said, shown)
    )
    assert sorted(words(last)) == sorted(words(written))
    assert (tmp_path / "report.html").exists()


def test_robots_compare_of_a_folder(tmp_path: Path) -> None:
    """The tables of the README, with other numbers for another corpus.

    The rows of causes come in the order of their numbers; each is a cause we know.
    """
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, body in generated_files()[:60]:
        (folder / name).write_bytes(body)
    _, *args = typed("scrapy robots-compare corpus/")

    said = scrapy(*args, folder=tmp_path).out.partition("\n\n")[2]

    shown, number = told("scrapy robots-compare corpus/"), r"[\d.,]+"
    mine, written = (re.sub(number, "N", it).split("\n\n") for it in (said, shown))
    assert words(mine[0]) == words(written[0])
    causes = {
        " ".join(line.split()[:-3]) for line in shown.split("\n\n")[1].split("\n")
    }
    assert causes - {"causes"} <= {cause.title for cause in Cause}
    assert words(mine[1])[:4] == words(written[1])[:4]
    assert sorted(words(mine[2])) == sorted(words(written[2]))


def test_robots_store(site: Site, tmp_path: Path) -> None:
    """Its lines but for what passes with time, with hosts on loopback."""
    command = (
        'scrapy robots-store list --store sqlite:///robots.db --host "*.example.com"'
    )
    _, *args = typed(command)
    site.robots("User-agent: *\nDisallow: /x\n#".ljust(143, "."), at="www.example.test")
    site.answer("/robots.txt", replies.status(503), at="old.example.test")
    kept = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    there = {
        site.url("", host="www.example.test"): "https://www.example.com",
        site.url("", host="old.example.test"): "http://old.example.com",
    }
    crawl([f"{url}/" for url in there], settings=kept)

    here = [part.replace("example.com", "example.test") for part in args]
    said, answer = scrapy(*here, folder=tmp_path).out, told(command)
    for url, name in there.items():
        said = said.replace(url, name)

    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +(fresh|stale)"
    said, answer = (re.sub(time, "TIME", text) for text in (said, answer))
    assert sorted(map(words, said.splitlines())) == sorted(
        map(words, answer.splitlines())
    )
