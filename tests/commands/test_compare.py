"""`robots-compare` with files, folders, URLs and standard input."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import SCRAPY, CommandResult, scrapy
from tests.support.compared_files import CLOSED
from tests.support.corpus import generated_files
from tests.support.forked import ROOT, TIMEOUT_SECONDS
from tests.support.site import Site

MARKING = "tests.support.parsers.MarkingParser"
OPEN = "tests.support.parsers.OpenParser"


def compare(*args: object, **options: Any) -> CommandResult:
    return scrapy("robots-compare", *map(str, args), **options)


def test_one_and_two_processes_give_the_same_report(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    files = (generated_files() * 9)[:101]
    for number, (_, body) in enumerate(files):
        folder = tmp_path / ("more" if number % 3 else ".")
        (folder / f"{number:03}.test").write_bytes(body)

    one, two = (compare(tmp_path, "--processes", it, "--json") for it in (1, 2))

    assert (one.code, two.code) == (0, 0)
    first, second = json.loads(one.out), json.loads(two.out)
    first["metadata"].pop("made")
    second["metadata"].pop("made")
    assert first == second
    assert first["files"] == len(files)
    assert {row["cause"] for row in first["rows"]} >= {"wildcard", "spelling"}
    assert two.err.splitlines() == ["100 of 101 files"]


def test_parser_that_ends_its_process_is_one_sentence(tmp_path: Path) -> None:
    for number in range(51):
        (tmp_path / f"{number}.test").write_bytes(CLOSED)

    result = compare(tmp_path, "--parsers", "tests.support.parsers.EndingParser")

    assert result.code == 3
    assert "a parser ended its process" in result.err
    assert "Traceback" not in result.err


def test_robots_txt_of_a_url_is_fetched_and_compared(
    site: Site, tmp_path: Path
) -> None:
    """Of the lines in `--urls`, only paths and URLs of this host count."""
    urls = tmp_path / "urls.txt"
    site.robots("User-agent: me\nDisallow: /a\n")
    urls.write_text(f"/a/b\n\n{site.url('/c')}\nhttp://else.test/a\n", "utf-8")

    result = compare(
        site.url("/"), "--urls", urls, "--robot", "me", "--parsers", OPEN, "--json"
    )
    assert site.targets() == ["/robots.txt"]

    counts = json.loads(result.out)["parsers"][OPEN]
    assert (counts["agree"], counts["laxer"]) == (1, 1)


@pytest.mark.parametrize(
    "command",
    [
        ["robots-compare", "missing", "file", "--parsers", OPEN],
        ["robots-lint", "missing", "file"],
        ["robots-check", "--robots", "missing", "/x"],
        ["robots-compare", "file", "--urls", "missing"],
        ["robots-check", "--urls", "missing"],
    ],
)
def test_missing_file_is_named_once_and_sets_exit_code_3(
    tmp_path: Path, command: list[str]
) -> None:
    """The other files are still read, unless the missing file is the list of URLs."""
    (tmp_path / "file").write_bytes(CLOSED)

    result = scrapy(*command, folder=tmp_path)

    assert result.code == 3
    assert (result.out + result.err).count("No such file") == 1
    assert "Traceback" not in result.err
    assert bool(result.out) is ("--urls" not in command)


def test_settings_of_the_project_and_of_a_spider_reach_the_parsers(
    tmp_path: Path,
) -> None:
    """Lambda functions cannot be sent to another process."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = town.settings\n")
    (tmp_path / "town").mkdir()
    files = {
        "__init__.py": "",
        "settings.py": "SPIDER_MODULES = ['town']\nKEY = lambda: 1\n",
        "spider.py": (
            "import scrapy\n\nclass Walker(scrapy.Spider):\n    name = 'walker'\n"
            "    custom_settings = {'MARKER': 'reached', 'OTHER': lambda: 2}\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / "town" / name).write_text(text)
    options = ("--spider", "walker", "--parsers", MARKING)

    # A pool of processes compares more than 50 files.
    for number in (1, 51):
        for each in range(number):
            (tmp_path / f"{each}.test").write_bytes(CLOSED)
        result = compare(*tmp_path.glob("*.test"), *options, folder=tmp_path)

        assert (result.code, result.err) == (0, "")
        (tmp_path / "reached").unlink()


def test_urls_of_other_hosts_only_compare_nothing(tmp_path: Path) -> None:
    (tmp_path / "example.org").write_bytes(CLOSED)
    (tmp_path / "urls").write_text("http://other.test/a\n")

    result = compare("example.org", "--urls", "urls", folder=tmp_path)

    assert result.code == 1
    assert result.lines[-1] == "Nothing was compared."


def test_file_named_by_a_host_is_compared_for_both_schemes(tmp_path: Path) -> None:
    (tmp_path / "example.org.TXT").write_bytes(CLOSED)
    urls = [f"{it}://example.org/a" for it in ("http", "https")]
    (tmp_path / "urls").write_text("\n".join([*urls, "https://other.test/a", "/b"]))
    options = ("--urls", "urls", "--robot", "me", "--parsers", OPEN, "--json")

    result = compare("example.org.TXT", *options, folder=tmp_path)

    asked = [row["url"] for row in json.loads(result.out)["rows"]]
    assert sorted(asked) == sorted([*urls, "http://example.org/b"])


def test_robots_txt_itself_is_never_asked(tmp_path: Path) -> None:
    (tmp_path / "a.test").write_bytes(CLOSED + b"Disallow: /robots.txt\n")
    (tmp_path / "urls").write_text("/robots.txt\nhttp://a.test/robots%2Etxt\n/b")

    for more in ((), ("--urls", "urls")):
        options = ("--parsers", "PythonRobotParser", "--json", *more)
        result = compare("a.test", *options, folder=tmp_path)

        # The file closes everything, but our side always allows /robots.txt (Ours O22).
        counts = json.loads(result.out)["parsers"]["PythonRobotParser"]
        assert (counts["agree"] > 0, counts["stricter"]) == (True, 0)


def test_parser_whose_library_is_missing_is_left_out(tmp_path: Path) -> None:
    missing = "raise ImportError('missing', name='robotexclusionrulesparser')\n"
    (tmp_path / "robotexclusionrulesparser.py").write_text(missing)

    done = subprocess.run(
        [*SCRAPY, "robots-compare", "README.md"],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "PythonRobotParser" in done.stdout
    assert "RerpRobotParser" not in done.stdout


def test_url_without_an_answer_is_no_answer_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_bytes(CLOSED)
    names = "robots.txt", "http://127.0.0.1:1/"
    options = "--json", "--parsers", OPEN, "-s", "RETRY_ENABLED=False"
    result = scrapy("robots-compare", *names, *options, folder=tmp_path)

    report = json.loads(result.out)
    assert (report["files"], report["source"]) == (1, "files")


def test_parsers_are_named_and_the_one_of_the_project_comes_first(
    tmp_path: Path,
) -> None:
    """Class names may clash, so parsers other than Scrapy's are named by import path."""
    (tmp_path / "a.test").write_bytes(CLOSED)
    parsers = ["tests.support.components.OpenParser", OPEN]
    chosen = "--parsers", ",".join(parsers), "--json"
    project = "-s", f"ROBOTSTXT_PARSER={OPEN}", "--json"

    named, usual = (
        json.loads(compare("a.test", *it, folder=tmp_path).out)["parsers"]
        for it in (chosen, project)
    )

    assert [*named] == parsers
    assert (named[parsers[0]]["laxer"], named[OPEN]["laxer"] > 0) == (0, True)
    assert [*usual][:2] == [OPEN, "ProtegoRobotParser"]
