"""The report of `robots-compare`: sites, causes and lines."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scrapy.robotstxt import ProtegoRobotParser, PythonRobotParser, RerpRobotParser

from scrapy_robots1994 import RobotsTxt
from tests.support.commands import scrapy
from tests.support.compared_files import CHANGES, FILES, compare, write_files
from tests.support.site import Site

PROTEGO = "ProtegoRobotParser"
PEERS = {
    it.__name__: it for it in (ProtegoRobotParser, PythonRobotParser, RerpRobotParser)
}

PAUSE = b"User-agent: me\nCrawl-delay: 5\nUser-agent: you\nDisallow: /b\n"
EMPTY = b"User-agent: me\n\nUser-agent: *\nDisallow: /a\n"
CAUSES: list[tuple[str, str, str, bytes, list[int]]] = [
    ("allow", "Protego", "laxer", b"Disallow: /\nDisallow: /z\nAllow: /a\n", [1, 2, 4]),
    ("allow", "Python", "laxer", b"Allow: /a\nDisallow: /a\n", [1, 2, 3]),
    ("wildcard", "Protego", "stricter", b"# all\nDisallow: /*.php$\n", [1, 3]),
    ("split-record", "Protego", "stricter", b"\nDisallow: /a\n", [1, 2, 3]),
    (
        *("several-records", "Protego", "stricter"),
        b"User-agent: me\nDisallow: /a\nUser-agent: me\nDisallow: /b\n",
        [1, 2, 3, 4],
    ),
    (
        *("joined-records", "Python", "laxer"),
        b"User-agent: me\nCrawl-delay: 5\nUser-agent: you\nDisallow: /\n",
        [1, 2, 3, 4],
    ),
    (
        "encoding",
        "Python",
        "laxer",
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /a\n",
        [1, 2],
    ),
    # The parser Rerp drops an empty query.
    ("spelling", "Rerp", "laxer", b"Disallow: /c?\n", [1, 2]),
    # Rerp ignores a record that has only a Crawl-delay.
    (
        *("joined-records", "Rerp", "stricter"),
        PAUSE + b"User-agent: *\nDisallow: /a\n",
        [1, 2, 3, 4, 5, 6],
    ),
    ("agent-matching", "Protego", "laxer", b"User-agent: bot\nDisallow: /\n", [1, 2]),
    ("spelling", "Python", "stricter", b"Disallow: /a%2Fb\n", [1, 2]),
    ("encoding", "Python", "laxer", b"Disallow: /a\n# caf\xe9\n", [1, 2, 3]),
    # The comment in Latin-1 is not among the minimal lines, so the cause is not the encoding.
    ("allow", "Python", "laxer", b"Allow: /a\nDisallow: /a\n# caf\xe9\n", [1, 2, 3]),
    # Without the last record, Protego would be the laxer parser.
    (
        *("wildcard", "Protego", "stricter"),
        b"User-agent: *\nDisallow: /a\nAllow: /a\n\nUser-agent: me\nDisallow: /*a\n",
        [5, 6],
    ),
    ("empty-rule", "Python", "laxer", b"Disallow:\nDisallow: /a\n", [1, 2, 3]),
    ("misspelt-field", "Protego", "stricter", b"Disalow: /a\n", [1, 2]),
    ("misspelt-field", "Protego", "stricter", b"Disallow /a\n", [1, 2]),
    ("spelling", "Protego", "laxer", b"Disallow: http://localhost/a\n", [1, 2]),
    ("split-record", "Rerp", "stricter", EMPTY, [1, 2, 3, 4]),
]
"""The columns are cause, parser, direction, file and minimal lines. A file without a User-agent
line gets `User-agent: *` as its first line.
"""
if sys.version_info < (3, 14):
    # Since Python 3.14, the parser of Python obeys every record for `*`, not only the first.
    text = b"Disallow: /a\n\nUser-agent: *\nDisallow: /b\n"
    CAUSES.append(("several-records", "Python", "laxer", text, [1, 2, 4, 5]))


NAMED = b"User-agent"
BODIES = [it if NAMED in it[:20] else NAMED + b": *\n" + it for *_, it, _ in CAUSES]


@pytest.fixture(scope="module")
def causes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The `site` of each row is an index into `CAUSES`."""
    folder = tmp_path_factory.mktemp("causes")
    for number, body in enumerate(BODIES):
        (folder / f"{number}").write_bytes(body)
    (folder / "urls").write_text("/a\n/b\n/a/b\n/x.php\n/c?\n")
    files = map(str, range(len(BODIES)))
    options = ("--robot", "me", "--robot", "mybot", "--urls", "urls", "--json")
    result = scrapy("robots-compare", *files, *options, folder=folder)
    rows: list[dict[str, Any]] = json.loads(result.out)["rows"]
    return rows


@pytest.mark.parametrize("number", range(len(CAUSES)))
def test_cause_is_found_with_lines(number: int, causes: list[dict[str, Any]]) -> None:
    cause, parser, direction, _, lines = CAUSES[number]
    wanted = (str(number), f"{parser}RobotParser", direction)
    found = [
        (row["cause"], row["lines"])
        for row in causes
        if (row["site"], row["parser"], row["way"]) == wanted
    ]

    assert (cause, lines) in found, found


def test_no_needed_line_can_be_left_out(causes: list[dict[str, Any]]) -> None:
    rows = [row for row in causes if row["lines"]]
    assert len(rows) > 20
    assert max(Counter(row["site"] for row in rows).values()) <= 20

    for row in rows:
        lines = BODIES[int(row["site"])].splitlines(keepends=True)
        assert differ(b"".join(lines[it - 1] for it in row["lines"]), row)
        for gone in row["lines"]:
            rest = b"".join(lines[it - 1] for it in row["lines"] if it != gone)
            assert not differ(rest, row), (row, gone)


def differ(body: bytes, row: dict[str, Any]) -> bool:
    other: Any = PEERS[row["parser"]]
    ours = RobotsTxt.parse(body).allowed(row["url"], row["robot"])
    theirs = other.from_crawler(None, body).allowed(row["url"], row["robot"])
    return (ours, theirs) == (row["way"] == "stricter", row["says"] == "allows")


def test_further_sentence_names_a_dialect_of_ours_that_decides_so(
    causes: list[dict[str, Any]],
) -> None:
    said = re.compile(r"the dialect (\w+) decides so(?:, by line (\d+))?")
    for row in causes:
        body, is_allowed = BODIES[int(row["site"])], row["says"] == "allows"
        verdicts = {
            it: RobotsTxt.parse(body, dialect=it).verdict(row["url"], row["robot"])
            for it in ("rfc9309", "extended", "revisited")
        }
        right = [it for it in verdicts if verdicts[it].allowed == is_allowed]
        found = said.fullmatch(row["also"])
        assert bool(found) == bool(right), row
        if found:
            line = verdicts[found[1]].line
            best = right[:1] if "rfc9309" in right else right
            assert (found[1] in best, found[2]) == (True, line and str(line))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("files")
    write_files(made)
    return made


@pytest.fixture(scope="module")
def plain(folder: Path) -> Any:
    return json.loads(compare(folder, "--json").out)


def test_each_site_counts_once_and_has_its_rows(plain: dict[str, Any]) -> None:
    sites = {it["site"]: it for it in plain["sites"]}
    by_site = {it: sites[it]["parsers"][PROTEGO] for it in sites}

    assert {it: by_site[it]["change"] for it in sites} == CHANGES
    assert +Counter(plain["parsers"][PROTEGO]["changes"]) == Counter(CHANGES.values())
    assert plain["files"] == len(CHANGES)
    changed = {site for site, change in CHANGES.items() if change != "unchanged"}
    assert {row["site"] for row in plain["rows"]} >= changed
    for site, change in CHANGES.items():
        dialects = by_site[site]["dialects"]
        assert dialects["1994"] == change
        # On a URL that itself contains a wildcard, rfc9309 differs from Protego.
        has_wildcard = b"*" in FILES[site].split(b"Disallow", 1)[1]
        assert dialects["rfc9309"] == "unchanged" or has_wildcard
    # The excerpt shows the lines around lines 1 and 902, which cause the difference.
    shown = [number for number, _ in sites["long.test"]["excerpt"]]
    assert shown == [1, 2, 3, 4, 899, 900, 901, 902]


def test_no_report_has_the_password_of_a_url(site: Site, tmp_path: Path) -> None:
    site.robots("User-agent: *\nDisallow: /*a\n")
    secret = site.url("/a").replace("://", "://me:hunter2@")
    (tmp_path / "urls").write_text(secret)
    options = ("--urls", "urls", "--report", "report.html")

    result = scrapy("robots-compare", secret[:-1], *options, folder=tmp_path)

    assert result.code == 0, result
    text = (tmp_path / "report.html").read_text("utf-8")
    assert site.url("/a") in text
    assert "hunter2" not in text + result.out + result.err
