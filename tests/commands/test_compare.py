"""`robots-compare` with files, folders, URLs and standard input, and its reports."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import CommandResult, scrapy
from tests.support.corpus import generated_files
from tests.support.site import Site

OPEN = "tests.commands.parsers.OpenParser"
CLOSED = b"User-agent: *\nDisallow: /\n"


def compare(*args: object, **options: Any) -> CommandResult:
    """Run the command."""
    return scrapy("robots-compare", *map(str, args), **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of files, some of them in a subfolder."""
    inner = tmp_path / "files" / "more"
    inner.mkdir(parents=True)
    for number, (name, body) in enumerate(generated_files()[::40]):
        (inner if number % 3 else inner.parent).joinpath(name).write_bytes(body)
    return inner.parent


def test_one_and_two_processes_give_the_same_report(folder: Path) -> None:
    """Counts, causes and samples do not depend on which process compared what, or when."""
    options = ("--questions", 20, "--json")

    one = compare(folder, "--processes", 1, *options)
    two = compare(folder, "--processes", 2, *options)

    reports = [json.loads(result.out) for result in (one, two)]
    assert [result.code for result in (one, two)] == [0, 0]
    assert reports[0]["parsers"] == reports[1]["parsers"]
    assert reports[0]["disagreements"] == reports[1]["disagreements"]
    assert reports[0]["files"] == len(list(folder.rglob("*.test")))
    assert sum(reports[0]["parsers"]["RerpRobotParser"]["causes"].values()) > 0


def test_folder_that_cannot_be_listed_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that is too long is an example; the other files are compared."""
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


def test_robots_txt_of_a_url_is_fetched_and_compared(tmp_path: Path) -> None:
    """With the listed URLs of its host and the robot of the options."""
    urls = tmp_path / "urls.txt"
    with Site() as site:
        site.robots("User-agent: me\nDisallow: /a\n")
        urls.write_text(f"/a/b\n\n{site.url('/c')}\nhttp://else.test/a\n", "utf-8")

        result = compare(
            site.url("/"), "--urls", urls, "--robot", "me", "--parsers", OPEN, "--json"
        )
        assert site.targets() == ["/robots.txt"]

    counts = json.loads(result.out)["parsers"]["OpenParser"]
    assert (counts["agree"], counts["laxer"]) == (1, 1)


def test_missing_file_sets_the_exit_code_of_every_command(
    tmp_path: Path,
) -> None:
    """It is reported once, and `robots-compare` compares the others."""
    (tmp_path / "a.test").write_bytes(CLOSED)
    names = ("no-such-file", str(tmp_path / "a.test"))

    runs = [
        compare(*names, "--parsers", OPEN),
        scrapy("robots-lint", *names),
        scrapy("robots-check", "--robots", names[0], "--robots", names[1], "/x", "/y"),
    ]

    assert [result.code for result in runs] == [3, 3, 3]
    assert runs[0].err.count("no-such-file") == 1
    assert [(result.out + result.err).count("no-such-file") for result in runs[1:]] == [
        1,
        1,
    ]
    assert any(line.startswith("OpenParser") for line in runs[0].lines)


def test_urls_of_other_hosts_only_compare_nothing(tmp_path: Path) -> None:
    """As when no policy matches in `robots-store`, the exit code is 1."""
    file, urls = tmp_path / "example.org", tmp_path / "urls.txt"
    file.write_text("User-agent: *\nDisallow: /a\n", "utf-8")
    urls.write_text("http://other.test/a\n", "utf-8")

    result = compare(str(file), "--urls", str(urls), "--parsers", OPEN)

    assert result.code == 1
    assert result.lines[-1] == "Nothing was compared."


def test_parser_that_raises_for_an_empty_file_is_compared() -> None:
    """The file of the test is not empty: no exception is counted, even with a huge deadline."""
    parser = "tests.commands.parsers.PickyParser"
    options = ("--parsers", parser, "--json", "--deadline", 10**20)

    result = compare("-", *options, stdin_text=CLOSED.decode())

    counts = json.loads(result.out)["parsers"]["PickyParser"]
    assert (result.code, counts["raised"]) == (0, 0)
    assert counts["laxer"] > 0


CLUSTER = """
from concurrent.futures import Executor, Future

class Client:
    def __init__(self, url, timeout):
        if url == "tcp://nowhere:1":
            raise OSError("Timed out trying to connect")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def nthreads(self):
        return {"worker": 1}

    def get_executor(self, retries):
        return LostExecutor()

class LostExecutor(Executor):
    def submit(self, *_):
        future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future
"""


@pytest.mark.parametrize(
    ("url", "code", "message"),
    [
        ("tcp://nowhere:1", 2, "--scheduler: the cluster failed: Timed out trying"),
        ("tcp://lost:1", 130, "--scheduler: the cluster cancelled the work"),
    ],
)
def test_failing_cluster_is_reported_without_a_traceback(
    tmp_path: Path, url: str, code: int, message: str
) -> None:
    """If the scheduler ends, the results up to then are printed."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = town\n", "utf-8")
    (tmp_path / "town.py").touch()
    (tmp_path / "distributed.py").write_text(CLUSTER, "utf-8")
    options = ("--parsers", OPEN, "--json", "--scheduler", url)

    result = compare("-", *options, stdin_text=CLOSED.decode(), folder=tmp_path)

    assert result.code == code
    assert message in result.err
    assert "Traceback" not in result.err
    assert code == 2 or json.loads(result.out)["files"] == 0
