"""Nothing that a file, a URL or a name says is a command of a CI system, in any output."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.commands.running import scrapy

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = (
    "User-agent: ##[error]a\n##[warning]b\n##vso[task.setvariable]c\n"
    "::error::d\nDisallow: /##[error]e\nDisallow: /*##[error]*\n###[group]f\n"
)
COMMAND = re.compile(
    r"^\s*::(?!(error|warning|notice) file=)|##(\[|vso\[)", re.MULTILINE
)


@pytest.mark.parametrize(
    "args",
    [
        *(
            ("robots-lint", "{file}", "--format", it)
            for it in ("text", "json", "sarif")
        ),
        ("robots-lint", "{file}", "--format", "github"),
        ("robots-lint", "{file}", "--summary", "--format", "json"),
        ("robots-lint", "##[error]missing", "--format", "json"),
        ("robots-check", "--robots", "{file}", "/##[error]e", "--explain"),
        ("robots-check", "--robots", "{file}", "/##[error]e", "--json"),
        ("robots-check", "--robots", "##[error]missing", "/##[error]e", "--json"),
        ("robots-compare", "{file}", "--parsers", "Protego"),
        ("robots-compare", "{file}", "--parsers", "Protego", "--json"),
    ],
)
def test_no_output_has_a_workflow_command_of_a_file(
    args: tuple[str, ...], tmp_path: Path
) -> None:
    """`::` at the start of a line, `##[` and `##vso[` anywhere; JSON means the same."""
    file = tmp_path / "robots.txt"
    file.write_text(HOSTILE, "utf-8")
    given = [str(file) if it == "{file}" else it for it in args]

    robot = () if "lint" in args[0] else ("--robot", "##[error]a")
    ran = scrapy(*given, *robot)

    assert ran.code in {0, 1, 3}
    assert COMMAND.search(ran.out) is None
    assert COMMAND.search(ran.err) is None


def test_json_means_what_the_file_says(tmp_path: Path) -> None:
    """Read back, its texts are those of the file."""
    file = tmp_path / "robots.txt"
    file.write_text(HOSTILE, "utf-8")

    ran = scrapy("robots-lint", str(file), "--format", "json")
    (report,) = json.loads(ran.out)["files"]

    assert [line["text"] for line in report["lines"]] == HOSTILE.splitlines()
