"""The report as JSON, CSV and text, and the HTML page without a browser."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from email.message import Message
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.compare import formats
from scrapy_robots1994.compare.diagnosis import Cause
from scrapy_robots1994.compare.formats import as_csv, as_html, as_json, write_report
from scrapy_robots1994.compare.impact import Change, Totals, Variant
from scrapy_robots1994.compare.parsers import Direction
from scrapy_robots1994.compare.report import as_plain, as_table, describe
from tests.compare.report_parts import (
    METADATA,
    NAMES,
    many_sites,
    numbers_of,
    report,
    totals,
)

if TYPE_CHECKING:
    from pathlib import Path

NAME = "ProtegoRobotParser"


def test_json_has_every_count_site_and_example() -> None:
    """Text is not cut, and is escaped only as JSON requires."""
    made = report()
    plain = json.loads(as_json(made))

    protego = plain["parsers"][NAME]
    assert plain["metadata"] == METADATA
    assert protego["stricter"] == made.totals.count(NAME, Direction.STRICTER)
    assert sum(protego["causes"].values()) == protego["stricter"] + protego["laxer"]
    assert list(protego["changes"].values()) == numbers_of(made.totals, NAME)
    assert [row["site"] for row in plain["sites"]] == sorted(made.totals.sites)
    assert any("<script>" in row["url"] for row in plain["disagreements"])


def test_problems_are_those_of_the_compared_dialect() -> None:
    """An Allow line is a problem in 1994 but not in RFC 9309."""
    for dialect, is_there in (("1994", True), ("rfc9309", False)):
        metadata = describe(Variant(dialect, "literal"), robots="me", questions="x")

        plain = as_plain(replace(report(), metadata=metadata))

        (site,) = (it for it in plain["sites"] if it["site"] == "http://allow.test")
        codes = [problem["code"] for problem in site["problems"]]
        assert ("R016" in codes) == is_there


def test_causes_are_counted_by_direction() -> None:
    """Wildcards are only stricter, Allow lines only laxer; the sums equal the causes."""
    protego = json.loads(as_json(report()))["parsers"][NAME]

    ways = protego["causes_by_direction"]
    assert ways["wildcard"]["stricter"] > ways["wildcard"]["laxer"] == 0
    assert ways["allow"]["laxer"] > ways["allow"]["stricter"] == 0
    assert {cause: sum(it.values()) for cause, it in ways.items()} == protego["causes"]


def test_page_has_a_sentence_for_each_cause() -> None:
    """The sentences are in the script of the page."""
    page = as_html(report())

    assert all(f'"{cause.code}": "' in page for cause in Cause)


def test_csv_has_the_same_data_as_json() -> None:
    """It has metadata, numbers, causes by direction, variants, sites and examples."""
    plain = json.loads(as_json(report()))
    rows = list(csv.DictReader(as_csv(report()).split("\n")))

    def of(kind: str) -> list[dict[str, str]]:
        return [row for row in rows if row["row"] == kind]

    assert {row["name"]: row["value"] for row in of("metadata")} == METADATA
    assert [row["value"] for row in of("note")] == plain["notes"]
    assert len(of("disagreement")) == len(plain["disagreements"])
    assert len(of("site")) == sum(len(site["parsers"]) for site in plain["sites"])
    opened = sum(
        int(row["value"])
        for row in of("basis")
        if (row["parser"], row["change"]) == (NAME, Change.OPENED.value)
    )
    assert opened == plain["parsers"][NAME]["changes"]["opened"]
    wildcard = {
        row["direction"]: int(row["value"])
        for row in of("cause")
        if (row["parser"], row["cause"]) == (NAME, "wildcard")
    }
    assert wildcard == plain["parsers"][NAME]["causes_by_direction"]["wildcard"]
    assert len(of("variant")) == len(plain["variants"]) * len(NAMES) * len(Change)


def test_every_format_notes_what_the_numbers_omit() -> None:
    """They omit skipped decisions and those of a parser that failed."""
    found = many_sites(3)
    found.skipped = 1_234
    found.counts[NAME, Direction.RAISED] = 2
    made = report(found)

    skipped, raised = as_plain(made)["notes"][1:]

    assert skipped == "Not compared: 1,234 decisions."
    assert raised.startswith(f"{NAME} failed or did not answer 2 of ")
    for form in (as_json, as_csv, as_html):
        assert raised in form(made)


def test_csv_is_harmless_to_a_spreadsheet_and_a_terminal() -> None:
    """No cell begins like a formula, and no control character is left."""
    text = as_csv(report())

    rows = list(csv.reader(text.split("\n")))
    assert not any(
        cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row
    )
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_table_begins_with_the_sites_and_fits_a_terminal() -> None:
    """The four numbers are followed by answers and causes, in at most 100 columns."""
    lines = as_table(report()).split("\n")

    heads = "sites, by what changes unchanged only opened only closed both"
    assert " ".join(lines[0].split()) == heads
    assert lines[1].split() == [NAME, "1", "5", "1", "1"]
    assert len(lines) == 4 + 1 + 4 + 1 + 1 + len(totals().causes_of(*NAMES))
    assert max(map(len, lines)) <= 100


def test_data_cannot_end_its_element() -> None:
    """The page has one script of its own, and the data is text."""
    page = as_html(report())

    assert page.count("</script>") == 2
    assert "<script>alert" not in page
    assert "%DATA%" in page  # the label of a site, not the placeholder
    assert page.index("%DATA%") > page.index('id="data"')


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("https://docs.test/", "https://docs.test/{}.html"),
        ("https://docs.test/en/latest", "https://docs.test/en/latest/{}.html"),
        ("https://git.test/x/docs/index.rst", "https://git.test/x/docs/{}.rst"),
        ("https://github.example/OWNER/docs/index.rst", None),
        ("", None),
    ],
)
def test_address_of_the_documentation_comes_from_the_package_metadata(
    monkeypatch: pytest.MonkeyPatch, address: str, page: str | None
) -> None:
    """The address in pyproject.toml may be a placeholder, a site or a repository."""
    published = Message()
    published["Project-URL"] = "Homepage, https://home.test"
    if address:
        published["Project-URL"] = f"Documentation, {address}"
    monkeypatch.setattr(formats, "metadata", lambda _: published)

    assert formats.documentation() == page


def test_empty_report_says_that_nothing_was_compared() -> None:
    """No share of zero decisions is computed."""
    table = as_table(report(Totals()))

    assert table.endswith("Nothing was compared.")
    assert '"sites":[]' in as_html(report(Totals()))


def test_failed_report_does_not_replace_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is replaced as a whole, and no temporary file is left."""
    path = tmp_path / "report.json"
    write_report(report(), path)
    before = path.read_text("utf-8")
    monkeypatch.setitem(formats.FORMS, ".json", lambda _: "\ud800")

    with pytest.raises(UnicodeEncodeError):
        write_report(report(), path)

    assert path.read_text("utf-8") == before
    assert list(tmp_path.iterdir()) == [path]
