"""Wrong use of every command."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support.commands import scrapy

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://x.test"
WRONG: dict[str, list[tuple[list[str], str]]] = {
    "robots-check": [
        (["x.test/y"], "write https://host/path"),
        ([], "no URL given"),
        (["--robot"], "expected one argument"),
        (["--robot", "", URL], "--robot: a value is missing"),
        (["-s", "ROBOTSTXT_OBEY=maybe", URL], "ROBOTSTXT_OBEY: "),
        (["--robts", "x", URL], "unrecognized argument --robts"),
        (["--robots", "-", "-"], "not both"),
        (["--robots", "file", "word"], "neither a URL nor a path"),
        (["/go?to=http://x.test/"], "neither a URL nor a path"),
        (["--robots", "file", "http:///x"], "neither a URL nor a path"),
        (["http://127.0.0.1:1/", "--spider", "nosuch"], "no spider 'nosuch'"),
        (["--urls", "words"], "'x.test/y' is neither a URL nor a path"),
        (["--purpose", "ai-train", URL], "invalid choice: 'ai-train'"),
    ],
    "robots-lint": [
        ([], "no file given"),
        (["empty"], "no file is in"),
        (["--ignore", "R999", "x"], "no such code: R999"),
        (["--format", "xml", "x"], "invalid choice"),
        (["-s", "ROBOTS1994_DIALECT=2000", "x"], "ROBOTS1994_DIALECT must be"),
    ],
    "robots-compare": [
        ([], "no file given"),
        (["empty"], "no file is in"),
        (["file", "--parsers", "no.such"], ": No module named 'no'; write the path"),
        (["file", "--parsers", "Protgo"], "write the path of a class"),
        (["file", "--parsers", ","], "at least one parser"),
        (["file", "--parsers", "tests.support.parsers.FailingParser"], "no licence"),
        (["file", "--report", "out.pdf"], "ends in .html or .json"),
        (["file", "--report", ""], "--report: a value is missing"),
        (["file", "--urls", os.devnull], "no URL is in the file"),
        (["file", "--urls", ""], "--urls: "),
        (["-", "--urls", "-"], "can be the robots.txt or the URLs, not both"),
        (["file", "--processes", "0"], "must be 1 or more"),
        (["http://127.0.0.1:1/", "--spider", "nosuch"], "no spider 'nosuch'"),
        (["file", "-s", "ROBOTS1994_TLL=5"], "did you mean ROBOTS1994_TTL"),
    ],
}
CASES = [(name, *row) for name, found in WRONG.items() for row in found]


@pytest.mark.parametrize(("command", "args", "message"), CASES)
def test_wrong_use_is_reported_in_one_sentence(
    command: str, args: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("User-agent: *\nDisallow: /\n", "utf-8")
    # "No problems" would mislead about a folder without files.
    (tmp_path / "empty" / "inner").mkdir(parents=True)
    (tmp_path / "words").write_text("x.test/y\n", "utf-8")
    before = sorted(tmp_path.rglob("*"))

    result = scrapy(command, *args, folder=tmp_path)

    assert (result.code, result.out) == (2, ""), result
    assert message in result.err
    assert "Traceback" not in result.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["check", "lint", "compare", "evidence"])
def test_help_has_examples_and_exit_codes(name: str) -> None:
    command = f"robots-{name}"
    result = scrapy(command, "--help")

    assert result.code == 0
    assert f"\n  scrapy {command} " in result.out
    for code in ("0 all well", "1 something", "2 wrong use", "3 some", "130 interr"):
        assert code in " ".join(result.out.split())
    assert max(map(len, result.lines)) <= 100
    ours = result.out.partition("\nOptions\n")[2].partition("\nGlobal Options\n")[0]
    assert "--dialect" in ours
    # Scrapy makes a heading of each line that ends with a colon.
    assert [it for it in ours.split("\n") if ": " in it or it.endswith(":")] == []
