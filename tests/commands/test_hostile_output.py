"""Hostile files must not put CI commands into our output, and must not make us read other files."""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path

import pytest

from tests.support.commands import scrapy

COMMAND = re.compile(r"^\s*::|##\w*\[", re.MULTILINE)
NO_ANNOTATION = re.compile(
    r"^\s*::(?!(error|warning|notice) file=)|##(\[|vso\[)", re.MULTILINE
)
COMMANDS = ("::error::x", "-::error::x", "x-::set-output name=a::", "##teamcity[x]")
LENGTHS = range(130)


@pytest.mark.parametrize(
    "line",
    [
        "Disallow: /{0}{1} {1}",
        "Disallow: {0}{1}",
        "Disallow: /*{0}{1}*",
        "Disallow: http://{0}{1}",
        "Disallow: /{1} {0}{1}",
        "User-agent: {0}{1}",
        "User-agent: a, {0}{1} *",
        "User-agent: Mozilla/5.0 (compatible; {0}{1}",
        "Disallo{0}{1}: /",
        "Crawl-delay: {0}{1}",
        "{0} {1}",
    ],
)
def test_lint_of_any_length_begins_no_line_with_a_command(line: str) -> None:
    """Wrapping a long word may move a CI command to the start of a line."""
    lines = [
        line.format("a" * length, command.ljust(total - length, "b"))
        for command in COMMANDS
        for total in (0, 95, 105, 115)
        for length in LENGTHS
    ]
    file = "User-agent: *\n" + "\n".join(lines)
    result = scrapy("robots-lint", "-", "--dialect", "extended", stdin_text=file)

    assert len(result.lines) >= len(LENGTHS)
    assert COMMAND.search(result.out + result.err) is None


def test_folder_opens_nothing_but_its_own_files(tmp_path: Path) -> None:
    """Pipes, sockets and links that lead out of the folder are skipped. A file named `-` is read as
    a file, not as standard input.
    """
    text = "User-agent: secret\nDisallow: /\n"
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    (outside / "passwords").write_text(text)
    (folder / "deep").mkdir(parents=True)
    (folder / "-").write_text("User-agent: *\nDisallow: /inside\n")
    (folder / ".hidden").write_text(text)
    (folder / "deep" / "inside").symlink_to("../-")
    (folder / "deep" / "again").symlink_to("..")
    leaving: dict[str, Path | str] = {
        "all": outside,
        "chain": "deep/file",
        "deep/file": outside / "passwords",
        "gone": outside / "gone",
        "relative": "../outside/passwords",
    }
    for name, target in leaving.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        for args in (
            ("robots-lint", "."),
            ("robots-lint", ".", "--format", "json"),
            ("robots-compare", ".", "--parsers", "Protego"),
        ):
            result = scrapy(*args, folder=folder, stdin_text=text)

            assert "secret" not in result.out + result.err
            assert "again" not in result.out + result.err
            assert ("inside" in result.out) is ("lint" in args[0])
            noted = re.findall("a link that leads out of its folder: (.*)", result.err)
            assert sorted(noted) == [*leaving]
            noted = re.findall("not a regular file: (.*)", result.err)
            assert sorted(noted) == ["pipe", "socket"]

    assert "secret" in scrapy("robots-lint", "folder/all", folder=tmp_path).out
    for number in range(25):
        (folder / f"link{number}").symlink_to(tmp_path)
    notes = scrapy("robots-lint", "folder", folder=tmp_path).err.splitlines()
    assert (len(notes), notes[-1]) == (21, "and 12 more")


HOSTILE = (
    "User-agent: ##[error]a\n##[warning]b\n##vso[task.setvariable]c\n"
    "::error::d\nDisallow: /##[error]e\nDisallow: /*##[error]*\n###[group]f\n"
)
PATHS = [f"/##[error]{'a' * length}::error::x" for length in (0, *range(60, 120))]


@pytest.mark.parametrize(
    "args",
    [
        ["robots-lint", "-"],
        ["robots-lint", "-", "--format", "github"],
        ["robots-check", "--robots", "-", *PATHS, "--explain"],
        ["robots-compare", "-", "--parsers", "Protego"],
        ["robots-lint", "-", "--only-problems"],
        ["robots-lint", "##[error]missing", "--format", "json"],
        ["robots-check", "--robots", "-", "/##[error]e", "--json"],
        ["robots-check", "--robots", "##[error]missing", "/##[error]e", "--json"],
        ["robots-compare", "-", "--parsers", "Protego", "--json"],
    ],
)
def test_input_text_is_not_a_workflow_command_in_any_output(args: list[str]) -> None:
    robot = () if "lint" in args[0] else ("--robot", "##[error]a")
    result = scrapy(*args, *robot, stdin_text=HOSTILE)

    assert result.code in {0, 1, 3}
    assert NO_ANNOTATION.search(f"{result.out}\n{result.err}") is None


def test_json_output_decodes_to_the_text_of_the_file() -> None:
    result = scrapy("robots-lint", "-", "--format", "json", stdin_text=HOSTILE)
    (report,) = json.loads(result.out)["files"]

    assert NO_ANNOTATION.search(result.out) is None
    assert [line["text"] for line in report["lines"]] == HOSTILE.splitlines()


def test_text_of_a_file_is_not_a_workflow_command_in_a_json_report(
    tmp_path: Path,
) -> None:
    args = "robots-compare", "-", "--parsers", "Protego", "--report", "r.json"
    scrapy(*args, "--robot", "me", stdin_text=HOSTILE, folder=tmp_path)
    text = (tmp_path / "r.json").read_text()

    assert "#\\u0023[error]" in text
    assert NO_ANNOTATION.search(text) is None
