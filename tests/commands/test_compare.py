"""`robots-compare` as a user runs it: files, folders, archives, URLs, and reports."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.commands.running import Ran, scrapy
from tests.support.corpus import generated_files
from tests.support.site import Site

OPEN = "tests.commands.parsers.OpenParser"
CLOSED = b"User-agent: *\nDisallow: /\n"


def compare(*args: object, **options: Any) -> Ran:
    """Run the command."""
    return scrapy("robots-compare", *map(str, args), **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of files, some of them in a folder of their own."""
    inner = tmp_path / "files" / "more"
    inner.mkdir(parents=True)
    for number, (name, body) in enumerate(generated_files()[::20]):
        (inner if number % 3 else inner.parent).joinpath(name).write_bytes(body)
    return inner.parent


def test_one_and_two_processes_give_the_same_report(folder: Path) -> None:
    """Counts, causes and samples do not depend on who did what when."""
    few = ("--questions", 20, "--json")

    one = compare(folder, "--processes", 1, *few)
    two = compare(folder, "--processes", 2, *few)

    plain = [json.loads(ran.out) for ran in (one, two)]
    assert [ran.code for ran in (one, two)] == [0, 0]
    assert plain[0]["parsers"] == plain[1]["parsers"]
    assert plain[0]["disagreements"] == plain[1]["disagreements"]
    assert plain[0]["files"] == len(list(folder.rglob("*.test")))
    assert sum(plain[0]["parsers"]["RerpRobotParser"]["causes"].values()) > 0


def test_one_file_is_a_table_and_a_report(tmp_path: Path) -> None:
    """The report has the answers of each site."""
    file, report = tmp_path / "example.org", tmp_path / "out" / "report.html"
    file.write_bytes(CLOSED)

    ran = compare(file, "--parsers", f"Protego,{OPEN}", "--report", report)

    assert ran.code == 0
    assert any(line.startswith("OpenParser") for line in ran.lines)
    assert "http://example.org/" in report.read_text("utf-8")
    assert ran.err.startswith("The report was written to")


def test_a_folder_that_cannot_be_listed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder whose path is too long cannot be listed."""
    (tmp_path / "a.test").write_bytes(CLOSED)
    monkeypatch.chdir(tmp_path)
    for _ in range(20):
        Path("d" * 250).mkdir()
        os.chdir("d" * 250)

    ran = compare(tmp_path, "--parsers", OPEN, "--json")

    assert ran.code == 3
    assert json.loads(ran.out)["files"] == 1
    assert f"not read: {tmp_path}/ddd" in ran.err
    assert "…: File name too long: check the name" in ran.err


def test_a_folder_without_a_file_is_wrong_use(tmp_path: Path) -> None:
    """That nothing differs would be said of nothing."""
    ran = compare(tmp_path)

    assert (ran.code, ran.out) == (2, "")
    assert "no file is in" in ran.err


def test_a_list_in_another_encoding_is_taken_as_it_would_be_sent(
    tmp_path: Path,
) -> None:
    """Its bytes percent-encoded."""
    file, urls = tmp_path / "example.org", tmp_path / "urls.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /caf%E9\n")
    urls.write_bytes(b"/caf\xe9\n")

    args = ("--urls", urls, "--robot", "me", "--parsers", OPEN, "--json")
    ran = compare(file, *args)

    assert ran.code == 0
    assert json.loads(ran.out)["parsers"]["OpenParser"]["laxer"] > 0


def test_urls_are_fetched_as_the_crawl_would(tmp_path: Path) -> None:
    """And asked about what is listed, by the robot that is named."""
    urls = tmp_path / "urls.txt"
    with Site() as site:
        site.robots("User-agent: me\nDisallow: /a\n")
        urls.write_text(f"/a/b\n\n{site.url('/c')}\nhttp://else.test/a\n", "utf-8")

        ran = compare(
            site.url("/"), "--urls", urls, "--robot", "me", "--parsers", OPEN, "--json"
        )
        assert site.targets() == ["/robots.txt"]

    plain = json.loads(ran.out)["parsers"]["OpenParser"]
    assert (plain["agree"], plain["laxer"]) == (1, 1)


def test_of_a_long_file_only_whole_lines_are_compared(tmp_path: Path) -> None:
    """Ours O24: what the limit cuts is no rule, in a fetched file and in one here."""
    body = "User-agent: *\nDisallow: /a\nDisallow: /private\n"
    file, urls = tmp_path / "example.org", tmp_path / "urls.txt"
    file.write_text(body, "utf-8")
    urls.write_text("/private\n", "utf-8")
    options = ("--parsers", OPEN, "--urls", urls, "--robot", "me", "--json")
    with Site() as site:
        site.robots(body)

        for name in (site.url("/"), file):
            limit = f"ROBOTS1994_MAX_BYTES={len(body) - 4}"
            ran = compare(name, *options, "-s", limit)

            plain = json.loads(ran.out)["parsers"]["OpenParser"]
            assert (plain["agree"], plain["laxer"]) == (1, 0)


def test_a_file_that_cannot_be_read_is_named_and_the_rest_compared(
    folder: Path,
) -> None:
    """A dangling link among many files stops nothing."""
    (folder / "gone.test").symlink_to(folder / "nowhere")

    ran = compare(folder, "--parsers", OPEN, "--questions", 3, "--processes", 1)

    assert ran.code == 3
    assert "not read:" in ran.err
    assert any(line.startswith("OpenParser") for line in ran.lines)


def test_a_missing_file_is_named_once_and_is_the_exit_code_of_every_command(
    tmp_path: Path,
) -> None:
    """The others are compared, linted and obeyed all the same."""
    (tmp_path / "a.test").write_bytes(CLOSED)
    names = ("no-such-file", str(tmp_path / "a.test"))

    runs = [
        compare(*names, "--parsers", OPEN),
        scrapy("robots-lint", *names),
        scrapy("robots-check", "--robots", names[0], "--robots", names[1], "/x", "/y"),
    ]

    assert [ran.code for ran in runs] == [3, 3, 3]
    assert runs[0].err.count("no-such-file") == 1
    assert [(ran.out + ran.err).count("no-such-file") for ran in runs[1:]] == [1, 1]
    assert any(line.startswith("OpenParser") for line in runs[0].lines)


def test_nothing_compared_is_no_table_of_zeros() -> None:
    """Nothing differs would be said of nothing."""
    ran = compare("no-such-file", "--parsers", OPEN)

    assert (ran.code, ran.out) == (3, "")
    assert ran.err.count("no-such-file") == 1


def test_urls_of_other_hosts_alone_compare_nothing(tmp_path: Path) -> None:
    """Nothing fits, as in `robots-store`; the table does not say that no parser differs."""
    file, urls = tmp_path / "example.org", tmp_path / "urls.txt"
    file.write_text("User-agent: *\nDisallow: /a\n", "utf-8")
    urls.write_text("http://other.test/a\n", "utf-8")

    ran = compare(str(file), "--urls", str(urls), "--parsers", OPEN)

    assert ran.code == 1
    assert ran.lines[-1] == "Nothing was compared."


def test_a_parser_that_cannot_read_an_empty_file_is_compared() -> None:
    """What it raises is counted, with any deadline."""
    picky = "tests.commands.parsers.PickyParser"
    options = ("--parsers", picky, "--json", "--deadline", 10**20)

    ran = compare("-", *options, given=CLOSED.decode())

    counts = json.loads(ran.out)["parsers"]["PickyParser"]
    assert (ran.code, counts["raised"]) == (0, 0)
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
    ("url", "code", "says"),
    [
        ("tcp://nowhere:1", 2, "--scheduler: the cluster failed: Timed out trying"),
        ("tcp://lost:1", 130, "--scheduler: the cluster cancelled the work"),
    ],
)
def test_a_cluster_that_fails_is_a_sentence(
    tmp_path: Path, url: str, code: int, says: str
) -> None:
    """It is not there, or its scheduler ends: what was compared until then is printed."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = town\n", "utf-8")
    (tmp_path / "town.py").touch()
    (tmp_path / "distributed.py").write_text(CLUSTER, "utf-8")
    options = ("--parsers", OPEN, "--json", "--scheduler", url)

    ran = compare("-", *options, given=CLOSED.decode(), folder=tmp_path)

    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert code == 2 or json.loads(ran.out)["files"] == 0


def test_standard_input_is_a_file() -> None:
    """As for the other commands."""
    ran = compare("-", "--parsers", OPEN, "--json", given=CLOSED.decode())

    assert ran.code == 0
    assert json.loads(ran.out)["parsers"]["OpenParser"]["laxer"] > 0


def test_failed_fetch_is_named_and_sets_the_exit_code() -> None:
    """A host that is not there is not "no robots.txt"."""
    with Site() as site:
        ran = compare(site.refused_url("/"), "--parsers", OPEN)

    assert ran.code == 3
    assert "could not fetch robots.txt" in ran.err


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "no file given"),
        (["README.md", "--parsers", "no.such"], "--parsers: no.such is not a parser"),
        (["README.md", "--parsers", "no.such"], "; write the path of a class, for"),
        (["README.md", "--parsers", "Protgo"], 'did you mean "Protego"?'),
        (["README.md", "--parsers", ","], "at least one parser"),
        (["README.md", "--report", "out.pdf"], "ends in .html, .json or .csv"),
        (["README.md", "--report", ""], "ends in .html, .json or .csv"),
        (["README.md", "--urls", os.devnull], "no URL is in the file"),
        (["README.md", "--urls", ""], "--urls: "),
        (["README.md", "--robot", ""], "--robot: a value is missing"),
        (["README.md", "--scheduler", ""], "--scheduler: a value is missing"),
        (["-", "--urls", "-"], "can be the robots.txt or the URLs, not both"),
        (["README.md", "--questions", "0"], "1 or more"),
        (["README.md", "--urls", "no-such-list"], "no-such-list"),
        (["http://127.0.0.1:1/", "--spider", "nosuch"], "no spider 'nosuch'"),
        (["README.md", "-s", "ROBOTS1994_TLL=5"], "did you mean ROBOTS1994_TTL"),
    ],
)
def test_wrong_use_is_a_sentence_and_code_2(args: list[str], sentence: str) -> None:
    """Before anything is compared."""
    ran = compare(*args)

    assert ran.code == 2
    assert sentence in ran.err + ran.out
    assert "Traceback" not in ran.err
