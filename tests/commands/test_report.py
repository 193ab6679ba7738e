"""Tests of the report of `robots-compare` as JSON and text.

The report has the cause of each difference, and the lines that cause the difference.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scrapy.robotstxt import ProtegoRobotParser, PythonRobotParser, RerpRobotParser

from scrapy_robots1994 import RobotsTxt
from tests.support.commands import scrapy
from tests.support.compared_files import (
    CHANGES,
    compare,
    write_files,
)
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
        *("merged-records", "Protego", "stricter"),
        b"User-agent: me\nDisallow: /a\nUser-agent: me\nDisallow: /b\n",
        [1, 2, 3, 4],
    ),
    (
        *("joined-records", "Python", "laxer"),
        b"User-agent: me\nCrawl-delay: 5\nUser-agent: you\nDisallow: /\n",
        [1, 2, 3, 4],
    ),
    # Rerp ignores a record that has only a Crawl-delay.
    (
        *("joined-records", "Rerp", "stricter"),
        PAUSE + b"User-agent: *\nDisallow: /a\n",
        [1, 2, 3, 4, 5, 6],
    ),
    ("agent-matching", "Protego", "laxer", b"User-agent: bot\nDisallow: /\n", [1, 2]),
    ("percent-encoding", "Python", "stricter", b"Disallow: /a%2Fb\n", [1, 2]),
    ("encoding", "Python", "laxer", b"Disallow: /a\n# caf\xe9\n", [1, 2, 3]),
    # The following file has two causes, and the minimal lines show which cause decides.
    ("allow", "Python", "laxer", b"Allow: /a\nDisallow: /a\n# caf\xe9\n", [1, 2, 3]),
    # Without the last record of the following file, Protego would be the laxer parser.
    (
        *("wildcard", "Protego", "stricter"),
        b"User-agent: *\nDisallow: /a\nAllow: /a\n\nUser-agent: me\nDisallow: /*a\n",
        [5, 6],
    ),
    ("robots.txt-itself", "Rerp", "stricter", b"Disallow: /\n", [1, 2]),
    ("misspelt-field", "Protego", "stricter", b"Disalow: /a\n", [1, 2]),
    ("misspelt-field", "Protego", "stricter", b"Disallow /a\n", [1, 2]),
    ("url-as-path", "Protego", "laxer", b"Disallow: http://localhost/a\n", [1, 2]),
    ("empty-record", "Rerp", "stricter", EMPTY, [1, 2, 3, 4]),
]
"""Each row has a cause, a parser, a direction, a file, and minimal lines. If a file does not
begin with a User-agent line, the tests add a line for all robots.
"""
if sys.version_info < (3, 14):
    # Newer Python versions obey the rules in every record that is for all robots.
    text = b"Disallow: /a\n\nUser-agent: *\nDisallow: /b\n"
    CAUSES.append(("several-defaults", "Python", "laxer", text, [1, 2, 4, 5]))


NAMED = b"User-agent"
BODIES = [it if it.startswith(NAMED) else NAMED + b": *\n" + it for *_, it, _ in CAUSES]


@pytest.fixture(scope="module")
def causes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Compare the parsers on one file for each entry of `CAUSES`, and return the differences.

    The value `where` of a difference is the number of the file.
    """
    folder = tmp_path_factory.mktemp("causes")
    for number, body in enumerate(BODIES):
        (folder / f"{number}").write_bytes(body)
    (folder / "urls").write_text("/a\n/b\n/a/b\n/x.php\n/robots.txt\n")
    files = map(str, range(len(BODIES)))
    options = ("--robot", "me", "--robot", "mybot", "--urls", "urls", "--json")
    result = scrapy("robots-compare", *files, *options, folder=folder)
    rows: list[dict[str, Any]] = json.loads(result.out)["disagreements"]
    return rows


@pytest.mark.parametrize("number", range(len(CAUSES)))
def test_cause_is_found_with_lines(number: int, causes: list[dict[str, Any]]) -> None:
    """For each file, the report contains one difference. The difference has the cause and
    the lines that the test table expects.
    """
    cause, parser, direction, _, lines = CAUSES[number]
    wanted = (str(number), f"{parser}RobotParser", direction)
    found = [
        (row["cause"], row["lines"])
        for row in causes
        if (row["where"], row["parser"], row["direction"]) == wanted
    ]

    assert (cause, lines) in found, found


def test_no_needed_line_can_be_left_out(causes: list[dict[str, Any]]) -> None:
    """Our parser and the other parser give the same two answers for the minimal lines
    as for the whole file. If one of the minimal lines is removed, at least one of the
    two answers changes.
    """
    rows = [row for row in causes if row["lines"]]
    assert len(rows) > 20
    # The report has at most three examples for each site, parser and direction.
    keys = [(row["where"], row["parser"], row["direction"]) for row in rows]
    assert max(Counter(keys).values()) == 3

    for row in rows:
        lines = BODIES[int(row["where"])].splitlines(keepends=True)
        assert differ(b"".join(lines[it - 1] for it in row["lines"]), row)
        for gone in row["lines"]:
            rest = b"".join(lines[it - 1] for it in row["lines"] if it != gone)
            assert not differ(rest, row), (row, gone)


def differ(body: bytes, row: dict[str, Any]) -> bool:
    """Return whether our parser and the parser of *row* differ for *body* as *row* says."""
    other: Any = PEERS[row["parser"]]
    ours = RobotsTxt.parse(body).allowed(row["url"], row["robot"])
    theirs = other.from_crawler(None, body).allowed(row["url"], row["robot"])
    return (ours, theirs) == (row["direction"] == "stricter", row["theirs"] == "allows")


def test_two_causes_that_come_together_are_both_named(tmp_path: Path) -> None:
    """If neither of two causes explains a difference alone, the report has both causes.

    The tested file has a wildcard in a record that is split by a blank line.
    """
    body = "User-agent: *\n\nDisallow: /*.php\n"
    (tmp_path / "urls").write_text("/x.php")
    options = ("--urls", str(tmp_path / "urls"), "--parsers", "Protego", "--json")

    result = scrapy("robots-compare", "-", *options, stdin_text=body)

    rows = json.loads(result.out)["disagreements"]
    found = [(it["cause"], it["other_causes"], it["lines"]) for it in rows]
    # The parsers also differ without the blank line.
    assert ("wildcard", ["split-record"], [1, 3]) in found


def test_longest_match_is_a_cause_between_two_parsers_that_obey_allow() -> None:
    """If both parsers obey Allow, the cause of a difference can be the longest match.

    One parser uses the first match, and the other parser uses the longest match.
    """
    body = "User-agent: *\nAllow: /a\nDisallow: /a/b\n"
    options = ("--dialect", "extended", "--parsers", "Protego", "--json")

    result = scrapy("robots-compare", "-", *options, stdin_text=body)

    report = json.loads(result.out)
    assert report["metadata"]["dialect"] == "extended"
    assert report["parsers"][PROTEGO]["causes"].keys() == {"longest-match"}
    assert report["disagreements"][0]["lines"] == [1, 2, 3]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files and an archive."""
    made: Path = tmp_path_factory.mktemp("files")
    write_files(made)
    return made


@pytest.fixture(scope="module")
def plain(folder: Path) -> Any:
    """Return the report on the files."""
    return json.loads(compare(folder, "--json").out)


def test_each_site_counts_once_and_has_its_example(plain: dict[str, Any]) -> None:
    """Each site counts once as unchanged, opened, closed or both, and has an example.

    The sums in the report equal the sums over the sites.
    """
    sites = {it["site"]: it for it in plain["sites"]}
    by_site = {it: sites[it]["parsers"][PROTEGO] for it in sites}
    counts = plain["parsers"][PROTEGO]

    assert {it: by_site[it]["change"] for it in sites} == CHANGES
    assert +Counter(counts["changes"]) == Counter(CHANGES.values())
    assert sum(counts["causes"].values()) == counts["stricter"] + counts["laxer"]
    by_way = counts["causes_by_direction"]
    assert {it: sum(ways.values()) for it, ways in by_way.items()} == counts["causes"]
    assert by_way["wildcard"]["laxer"] == by_way["allow"]["stricter"] == 0
    changed = {site for site, change in CHANGES.items() if change != "unchanged"}
    verdicts = {row["where"]: row["ours"] for row in plain["disagreements"]}
    assert verdicts.keys() >= changed
    assert "was refused (HTTP 403)" in verdicts["http://forbidden.test"]
    by_basis = counts["changes_by"]
    assert by_basis["404"]["opened"] == by_basis["403"]["closed"] == 1
    # One site has two captures.
    assert plain["files"] == len(CHANGES) + 1
    # Ours O22 (robots.txt itself): there are three URLs and two robots. The parsers agree only
    # on /robots.txt.
    forbidden = by_site["http://forbidden.test"]
    assert (forbidden["agree"], forbidden["laxer"]) == (2, 4)
    # For a long file, three lines around each minimal line (1 and 902) are shown.
    shown = [number for number, _ in sites["http://long.test"]["excerpt"]]
    assert shown == [1, 2, 3, 4, 899, 900, 901, 902]
    numbers = {it["dialect"]: it["changes"][PROTEGO] for it in plain["variants"]}
    assert numbers["1994"] == counts["changes"]
    assert numbers["rfc9309"]["opened"] < numbers["1994"]["opened"]


def test_table_begins_with_the_sites_and_fits_a_terminal(folder: Path) -> None:
    """The table of the text report begins with four counts of sites.

    Counts of answers and causes follow the counts of sites. Each line of the table has at
    most 100 characters.
    """
    lines = compare(folder).lines[2:]

    heads = "sites, by what changes unchanged only opened only closed both"
    assert " ".join(lines[0].split()) == heads
    assert lines[1].split() == [PROTEGO, "1", "4", "1", "1"]
    assert any(line.startswith("wildcard or $") for line in lines)
    assert max(map(len, lines)) <= 100


def test_no_report_has_the_password_of_a_url(site: Site, tmp_path: Path) -> None:
    """A report does not contain the password of a compared URL, or of a URL in `--urls`.

    Users give reports to other people.
    """
    site.robots("User-agent: *\nDisallow: /*a\n")
    secret = site.url("/a").replace("://", "://me:hunter2@")
    (tmp_path / "urls").write_text(secret)
    options = ("--urls", "urls", "--report", "report.html")

    result = scrapy("robots-compare", secret[:-1], *options, folder=tmp_path)

    assert result.code == 0, result
    text = (tmp_path / "report.html").read_text("utf-8")
    assert site.url("/a") in text
    assert "hunter2" not in text + result.out + result.err


def test_unwritable_report_leaves_the_old_one(folder: Path, tmp_path: Path) -> None:
    """If a report cannot be written, the exit code is 2, and existing files do not change.

    In this test, the path of the report is a folder. Writing a report does not leave a
    temporary file.
    """
    path = tmp_path / "report.json"
    compare(folder, "--report", str(path))
    assert json.loads(path.read_text("utf-8"))["files"] == len(CHANGES) + 1
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "a.json").mkdir()

    result = compare(folder, "--report", str(tmp_path / "a.json"))

    assert result.code == 2
    assert "a.json cannot be written" in result.err
    assert len(list(tmp_path.iterdir())) == 2


def test_folder_that_cannot_be_written_is_reported_before_the_comparison(
    folder: Path, tmp_path: Path
) -> None:
    """If no report can be written to the folder of --report, no file is compared."""
    (tmp_path / "file").touch()

    result = compare(folder, "--report", str(tmp_path / "file" / "a.json"))

    assert (result.code, result.out) == (3, "")
    assert "a.json cannot be written: Not a directory" in result.err


def test_parser_that_raises_is_counted_named_and_noted(tmp_path: Path) -> None:
    """If a parser raises an exception, the report counts the failures, and has a note.

    The JSON report and the HTML report have the note.
    """
    (tmp_path / "a.test").write_bytes(b"")
    parser = "tests.support.parsers.PickyParser"
    # Use a deadline with more seconds than a clock can count.
    deadline = ("--deadline", str(10**20))
    options = ("--parsers", parser, "--report", "../raised.html", *deadline)

    result = scrapy("robots-compare", ".", *options, "--json", folder=tmp_path)

    report = json.loads(result.out)
    row = report["disagreements"][0]
    assert (row["direction"], row["theirs"]) == ("raised", "raises ValueError")
    (ways,) = report["parsers"]["PickyParser"]["causes_by_direction"].values()
    assert ways == {"stricter": 0, "laxer": 0, "raised": 3}
    (note,) = report["notes"]
    assert note.startswith("PickyParser failed or did not answer 3 of 3 questions")
    assert note in (tmp_path.parent / "raised.html").read_text("utf-8")
