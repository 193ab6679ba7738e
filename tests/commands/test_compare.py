"""Tests of `robots-compare` with files, folders, URLs, standard input and WARC files."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import zlib
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]  # without annotations
import pytest

from tests.support.commands import SCRAPY, CommandResult, scrapy
from tests.support.compared_files import CLOSED
from tests.support.corpus import generated_files
from tests.support.forked import ROOT, TIMEOUT_SECONDS
from tests.support.site import Site
from tests.support.zstandard import zstd

OPEN = "tests.support.parsers.OpenParser"


def compare(*args: object, **options: Any) -> CommandResult:
    """Run `robots-compare` with *args*."""
    return scrapy("robots-compare", *map(str, args), **options)


def test_one_and_two_processes_give_the_same_report(tmp_path: Path) -> None:
    """One process and two processes find equal counts, causes and examples."""
    (tmp_path / "more").mkdir()
    files = generated_files()[::40]
    for number, (name, body) in enumerate(files):
        (tmp_path / ("more" if number % 3 else ".") / name).write_bytes(body)

    one, two = (
        compare(tmp_path, "--processes", number, "--questions", 20, "--json")
        for number in (1, 2)
    )

    assert (one.code, two.code) == (0, 0)
    first, second = json.loads(one.out), json.loads(two.out)
    assert first["parsers"] == second["parsers"]
    assert first["disagreements"] == second["disagreements"]
    assert first["files"] == len(files)
    assert sum(first["parsers"]["RerpRobotParser"]["causes"].values()) > 0


def test_folder_that_cannot_be_listed_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that cannot be listed is reported, and all other files are compared.

    In this test, the path of the folder is too long.
    """
    (tmp_path / "a.test").write_bytes(CLOSED)
    monkeypatch.chdir(tmp_path)
    for _ in range(20):
        Path("d" * 250).mkdir()
        os.chdir("d" * 250)

    result = compare(tmp_path, "--parsers", OPEN, "--json")

    assert result.code == 3
    assert json.loads(result.out)["files"] == 1
    assert f"not read: {tmp_path}/ddd" in result.err
    assert "…: File name too long: check the name" in result.err


def test_robots_txt_of_a_url_is_fetched_and_compared(
    site: Site, tmp_path: Path
) -> None:
    """The robots.txt of a URL is fetched and compared, with the robot in `--robot`.

    From the file in `--urls`, the comparison uses all paths. The comparison also uses
    the URLs on the host of the robots.txt.
    """
    urls = tmp_path / "urls.txt"
    site.robots("User-agent: me\nDisallow: /a\n")
    urls.write_text(f"/a/b\n\n{site.url('/c')}\nhttp://else.test/a\n", "utf-8")

    result = compare(
        site.url("/"), "--urls", urls, "--robot", "me", "--parsers", OPEN, "--json"
    )
    assert site.targets() == ["/robots.txt"]

    counts = json.loads(result.out)["parsers"]["OpenParser"]
    assert (counts["agree"], counts["laxer"]) == (1, 1)


@pytest.mark.parametrize(
    "command",
    [
        ["robots-compare", "missing", "file", "--parsers", OPEN],
        ["robots-lint", "missing", "file"],
        ["robots-check", "--robots", "missing", "--robots", "file", "/x", "/y"],
        ["robots-compare", "file", "--urls", "missing"],
        ["robots-check", "--urls", "missing"],
    ],
)
def test_missing_file_is_named_once_and_sets_exit_code_3(
    tmp_path: Path, command: list[str]
) -> None:
    """Every command reports a missing file once, and ends with exit code 3.

    Other files are read, unless the missing file is the list of URLs.
    """
    (tmp_path / "file").write_bytes(CLOSED)

    result = scrapy(*command, folder=tmp_path)

    assert result.code == 3
    assert (result.out + result.err).count("missing: No such file") == 1
    assert "Traceback" not in result.err
    assert bool(result.out) is ("--urls" not in command)


def test_settings_of_the_project_and_of_a_spider_reach_the_parsers(
    tmp_path: Path,
) -> None:
    """The parsers receive the settings of the project and of the spider.

    The values of two settings are lambda functions. A lambda function cannot be sent to
    another process.
    """
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
    (tmp_path / "a.test").write_bytes(CLOSED + b"# hang\n")
    options = ("--spider", "walker", "--deadline", 1, "--parsers")

    result = compare(
        "a.test", *options, "tests.support.parsers.HangingParser", folder=tmp_path
    )

    assert "Traceback" not in result.err
    # Before the parser hangs, the parser creates a file with the name in MARKER.
    assert (tmp_path / "reached").exists()


def test_report_begins_with_the_parser_that_the_project_uses(tmp_path: Path) -> None:
    """The parser of ROBOTSTXT_PARSER is first in the report, however the user listed it."""
    (tmp_path / "a.test").write_bytes(CLOSED)
    parsers = "tests.support.parsers.OpenParser,Protego"

    result = compare("a.test", "--parsers", parsers, "--json", folder=tmp_path)

    names = [*json.loads(result.out)["parsers"]]
    assert names == ["ProtegoRobotParser", "OpenParser"]


def test_two_parsers_with_one_class_name_are_both_compared(tmp_path: Path) -> None:
    """If two parsers have the same class name, the report has the import paths of both."""
    (tmp_path / "a.test").write_bytes(CLOSED)
    parsers = ["tests.support.components.OpenParser", OPEN]

    result = compare(
        "a.test", "--parsers", ",".join(parsers), "--json", folder=tmp_path
    )

    counts = json.loads(result.out)["parsers"]
    assert [*counts] == parsers
    assert not counts[parsers[0]]["laxer"]
    assert counts[OPEN]["laxer"]


def test_urls_of_other_hosts_only_compare_nothing(tmp_path: Path) -> None:
    """If `--urls` has only URLs of other hosts, nothing is compared, and the exit code is 1."""
    (tmp_path / "example.org").write_bytes(CLOSED)
    (tmp_path / "urls").write_text("http://other.test/a\n")

    result = compare("example.org", "--urls", "urls", folder=tmp_path)

    assert result.code == 1
    assert result.lines[-1] == "Nothing was compared."


def test_compare_reports_the_file_at_which_a_parser_hangs(tmp_path: Path) -> None:
    """If a parser hangs at a file, the command reports the file once, and the exit code is 3.

    All other files are compared.
    """
    for number in range(5):
        body = CLOSED + b"# hang\n" * (number == 2)
        (tmp_path / f"{number}.test").write_bytes(body)

    parser = "tests.support.parsers.HangingParser"
    report = tmp_path.parent / f"{tmp_path.name}.json"
    options = ("--parsers", parser, "--processes", 1, "--deadline", 1)
    result = compare(tmp_path, *options, "--report", report)

    sites = {it["site"]: it for it in json.loads(report.read_text("utf-8"))["sites"]}
    # The report has the number of lines of the file even if no parser answered.
    assert sites["http://2.test"]["lines"] == 3
    assert result.code == 3
    assert result.err.count("no answer, counted as an exception: ") == 1
    assert "HangingParser: http://2.test" in result.err
    (counts,) = [line for line in result.lines if line.startswith("HangingParser")][1:2]
    assert int(counts.split()[4]) > 0
    assert int(counts.split()[3]) > 0


@pytest.mark.parametrize(
    ("library", "code", "said"),
    [
        ("robotexclusionrulesparser", 0, ""),
        (
            "pebble",
            2,
            "needs pebble, which is not installed: pip install 'scrapy_robots",
        ),
    ],
)
def test_comparison_without_its_extra(
    tmp_path: Path, library: str, code: int, said: str
) -> None:
    """If the extra `report` is missing, one sentence says how to install the extra.

    If the library of one parser is missing, the command omits this parser.
    """
    missing = f"raise ImportError('missing', name={library!r})\n"
    (tmp_path / f"{library}.py").write_text(missing)

    done = subprocess.run(
        [*SCRAPY, "robots-compare", "README.md"],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
    )

    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert bool(done.stderr) is bool(said)
    assert ("PythonRobotParser" in done.stdout) is not bool(said)
    assert "RerpRobotParser" not in done.stdout


def test_url_without_an_answer_is_no_answer_in_the_report(tmp_path: Path) -> None:
    """If no URL is fetched, the report is only about files, and says so."""
    (tmp_path / "robots.txt").write_bytes(CLOSED)
    names = "robots.txt", "http://127.0.0.1:1/"
    options = "--json", "--parsers", OPEN, "-s", "RETRY_ENABLED=False"
    result = scrapy("robots-compare", *names, *options, folder=tmp_path)

    report = json.loads(result.out)
    assert (report["files"], report["has_answers"]) == (1, False)


PACKERS = {
    "br": brotli.compress,
    "zstd": zstd.compress,
    "x-gzip": gzip.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
    "deflate": zlib.compress,
}


def compared(*paths: Path) -> tuple[int, list[str], str]:
    """Compare *paths*. Return the exit code, the hosts whose captures contain `CLOSED`,
    and the text on stderr.
    """
    result = scrapy("robots-compare", *map(str, paths), "--parsers", OPEN, "--json")
    report: dict[str, Any] = json.loads(result.out) if result.out else {}
    assert "Traceback" not in result.err
    # One parser allows everything, so each capture of CLOSED is a difference.
    hosts = {row["where"].split("/")[2] for row in report.get("disagreements", ())}
    return result.code, sorted(hosts), result.err
