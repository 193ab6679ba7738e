"""The report of `robots-compare` as JSON, CSV and text; causes and the lines they need."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scrapy.robotstxt import ProtegoRobotParser, PythonRobotParser, RerpRobotParser

from scrapy_robots1994 import RobotsTxt
from tests.commands.comparing import CHANGES, compare, write_files
from tests.commands.running import scrapy
from tests.support.site import Site

PROTEGO = "ProtegoRobotParser"
PEERS = {
    it.__name__: it for it in (ProtegoRobotParser, PythonRobotParser, RerpRobotParser)
}

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
        *("merged-records", "Python", "laxer"),
        b"User-agent: me\nCrawl-delay: 5\nUser-agent: you\nDisallow: /\n",
        [1, 2, 3, 4],
    ),
    ("agent-matching", "Protego", "laxer", b"User-agent: bot\nDisallow: /\n", [1, 2]),
    ("percent-encoding", "Python", "stricter", b"Disallow: /a%2Fb\n", [1, 2]),
    ("encoding", "Python", "laxer", b"Disallow: /a\n# caf\xe9\n", [1, 2, 3]),
    # Two come together, so that the lines that are needed decide.
    ("allow", "Python", "laxer", b"Allow: /a\nDisallow: /a\n# caf\xe9\n", [1, 2, 3]),
    ("robots.txt-itself", "Rerp", "stricter", b"Disallow: /\n", [1, 2]),
    ("other", "Protego", "stricter", b"Disalow: /a\n", [1, 2]),
]
"""Cause, parser and direction, a file, and the lines it needs. A file without a
User-agent line has one for all robots above it."""
if sys.version_info < (3, 14):
    # Later ones take the rules of all records for all robots.
    text = b"Disallow: /a\n\nUser-agent: *\nDisallow: /b\n"
    CAUSES.append(("several-defaults", "Python", "laxer", text, [1, 2, 4, 5]))


def body_of(text: bytes) -> bytes:
    """Return the file of a case."""
    return text if text.startswith(b"User-agent") else b"User-agent: *\n" + text


@pytest.fixture(scope="module")
def causes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the report on the files of all causes."""
    folder = tmp_path_factory.mktemp("causes")
    for number, (_, _, _, text, _) in enumerate(CAUSES):
        (folder / f"case-{number}.test").write_bytes(body_of(text))
    (folder / "urls").write_text("/a\n/b\n/a/b\n/x.php\n/robots.txt\n")
    robots = ("--robot", "me", "--robot", "mybot")
    files = [f"case-{number}.test" for number in range(len(CAUSES))]
    result = scrapy(
        *("robots-compare", *files, *robots, "--urls", "urls", "--json"), folder=folder
    )
    report: dict[str, Any] = json.loads(result.out)
    return report


@pytest.mark.parametrize("number", range(len(CAUSES)))
def test_cause_is_found_with_the_lines_it_needs(
    number: int, causes: dict[str, Any]
) -> None:
    """Direction, cause and lines of each difference are those of the case."""
    cause, parser, direction, _, lines = CAUSES[number]
    found = [
        (row["cause"], row["lines"])
        for row in causes["disagreements"]
        if row["where"] == f"http://case-{number}.test"
        and (row["parser"], row["direction"]) == (f"{parser}RobotParser", direction)
    ]

    assert (cause, lines) in found, found


def test_no_line_that_a_difference_needs_can_be_left_out(
    causes: dict[str, Any],
) -> None:
    """With them the parsers differ as about the file; without any one they agree."""
    rows = [row for row in causes["disagreements"] if row["lines"]]
    assert len(rows) > 20
    # Of each site, a few examples of what a parser does otherwise.
    keys = [(row["where"], row["parser"], row["direction"]) for row in rows]
    assert max(Counter(keys).values()) == 3

    for row in rows:
        number = int(row["where"].removeprefix("http://case-").removesuffix(".test"))
        lines = body_of(CAUSES[number][3]).splitlines(keepends=True)
        assert differ(b"".join(lines[it - 1] for it in row["lines"]), row)
        for gone in row["lines"]:
            rest = b"".join(lines[it - 1] for it in row["lines"] if it != gone)
            assert not differ(rest, row), (row, gone)


def differ(body: bytes, row: dict[str, Any]) -> bool:
    """Whether ours and the parser of *row* differ about *body* as *row* says."""
    other: Any = PEERS[row["parser"]]
    ours = RobotsTxt.parse(body).allowed(row["url"], row["robot"])
    theirs = other.from_crawler(None, body).allowed(row["url"], row["robot"])
    return (ours, theirs) == (row["direction"] == "stricter", row["theirs"] == "allows")


def test_longest_match_is_a_cause_between_two_parsers_that_obey_allow() -> None:
    """One takes the first match, the other one the longest."""
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
def plain(folder: Path) -> dict[str, Any]:
    """Return the report on the files."""
    report: dict[str, Any] = json.loads(compare(folder, "--json").out)
    return report


def test_each_site_counts_once_and_has_its_example(plain: dict[str, Any]) -> None:
    """As unchanged, opened, closed or both; the sums are those of the sites."""
    sites = {it["site"]: it["parsers"][PROTEGO]["change"] for it in plain["sites"]}
    counts = plain["parsers"][PROTEGO]

    assert sites == CHANGES
    assert {name: n for name, n in counts["changes"].items() if n} == Counter(
        CHANGES.values()
    )
    assert sum(counts["causes"].values()) == counts["stricter"] + counts["laxer"]
    by_way = counts["causes_by_direction"]
    assert {it: sum(ways.values()) for it, ways in by_way.items()} == counts["causes"]
    assert by_way["wildcard"]["laxer"] == by_way["allow"]["stricter"] == 0
    changed = {site for site, change in CHANGES.items() if change != "unchanged"}
    assert {row["where"] for row in plain["disagreements"]} >= changed
    by_basis = counts["changes_by"]
    assert by_basis["404"]["opened"] == by_basis["403"]["closed"] == 1
    assert plain["files"] == len(CHANGES)


def test_numbers_of_the_variant_in_use_are_those_of_the_comparison(
    plain: dict[str, Any],
) -> None:
    """The cautious reading obeys the record that a blank line splits."""
    numbers = {
        (it["dialect"], it["reading"]): it["changes"][PROTEGO]
        for it in plain["variants"]
    }
    literal, cautious = numbers["1994", "literal"], numbers["1994", "cautious"]

    assert literal == plain["parsers"][PROTEGO]["changes"]
    assert cautious["opened"] == literal["opened"] - 1
    assert numbers["rfc9309", "literal"]["opened"] < literal["opened"]


def test_csv_has_the_same_data_as_json_and_is_harmless(
    folder: Path, plain: dict[str, Any], tmp_path: Path
) -> None:
    """To a spreadsheet, in which no cell is a formula, and to a terminal."""
    path = tmp_path / "out" / "report.csv"
    compare(folder, "--report", str(path))
    text = path.read_text("utf-8")
    rows = list(csv.DictReader(text.split("\n")))

    def of(kind: str) -> list[dict[str, str]]:
        return [row for row in rows if row["row"] == kind]

    metadata = {row["name"]: row["value"] for row in of("metadata")}
    assert metadata | {"made": ""} == plain["metadata"] | {"made": ""}
    assert len(of("disagreement")) == len(plain["disagreements"])
    assert len(of("site")) == sum(len(site["parsers"]) for site in plain["sites"])
    counts = plain["parsers"][PROTEGO]
    opened = (PROTEGO, "opened")
    numbers = [
        int(row["value"])
        for row in of("basis")
        if (row["parser"], row["change"]) == opened
    ]
    assert sum(numbers) == counts["changes"]["opened"]
    wildcard = {
        row["direction"]: int(row["value"])
        for row in of("cause")
        if (row["parser"], row["cause"]) == (PROTEGO, "wildcard")
    }
    assert wildcard == counts["causes_by_direction"]["wildcard"]
    cells = [cell for row in csv.reader(text.split("\n")) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert not {"\x1b", "\u202e"} & set(text)


def test_table_begins_with_the_sites_and_fits_a_terminal(folder: Path) -> None:
    """The four numbers are followed by answers and causes, in at most 100 columns."""
    lines = compare(folder).lines[2:]

    heads = "sites, by what changes unchanged only opened only closed both"
    assert " ".join(lines[0].split()) == heads
    assert lines[1].split() == [PROTEGO, "1", "5", "3", "1"]
    assert any(line.startswith("wildcard or $") for line in lines)
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("form", ["html", "json", "csv"])
def test_no_report_has_the_password_of_a_url(
    form: str, site: Site, tmp_path: Path
) -> None:
    """Neither of the URLs compared nor of those of --urls: a report is for others."""
    site.robots("User-agent: *\nDisallow: /*a\n")
    urls = [
        site.url(path).replace("://", "://me:hunter2@")
        for path in ("/robots.txt", "/a")
    ]
    (tmp_path / "urls.txt").write_text(f"{urls[1]}\n")
    report = tmp_path / f"report.{form}"

    result = scrapy(
        *("robots-compare", urls[0], "--urls", str(tmp_path / "urls.txt")),
        *("--parsers", "Protego", "--report", str(report)),
    )

    assert result.code == 0, result
    assert site.url("/a") in report.read_text("utf-8")
    for text in (report.read_text("utf-8"), result.out, result.err):
        assert "hunter2" not in text


def test_report_that_cannot_be_written_leaves_the_old_one(
    folder: Path, tmp_path: Path
) -> None:
    """It is replaced as a whole; a folder in its place is wrong use."""
    path = tmp_path / "report.json"
    compare(folder, "--report", str(path))
    assert json.loads(path.read_text("utf-8"))["files"] == len(CHANGES)
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "a.json").mkdir()

    result = compare(folder, "--report", str(tmp_path / "a.json"))

    assert result.code == 2
    assert "a.json cannot be written" in result.err
    assert len(list(tmp_path.iterdir())) == 2


def test_parser_that_raises_is_counted_named_and_noted(tmp_path: Path) -> None:
    """In every form: what changes there is not known."""
    (tmp_path / "a.test").write_bytes(b"")
    parser = "tests.commands.parsers.PickyParser"
    options = ("--parsers", parser, "--report", "../raised.html")

    result = scrapy("robots-compare", ".", *options, "--json", folder=tmp_path)

    report = json.loads(result.out)
    row = report["disagreements"][0]
    assert (row["direction"], row["theirs"]) == ("raised", "raises ValueError")
    (note,) = report["notes"]
    assert note.startswith("PickyParser failed or did not answer 3 of 3 questions")
    assert note in (tmp_path.parent / "raised.html").read_text("utf-8")
