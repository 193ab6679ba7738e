"""No text from a file, URL or name reaches a CI system as a workflow command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.commands.running import scrapy

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
def test_input_text_is_not_a_workflow_command_in_any_output(
    args: tuple[str, ...], tmp_path: Path
) -> None:
    """Neither `::` at the start of a line nor `##[` or `##vso[` anywhere."""
    file = tmp_path / "robots.txt"
    file.write_text(HOSTILE, "utf-8")
    arguments = [str(file) if it == "{file}" else it for it in args]

    robot = () if "lint" in args[0] else ("--robot", "##[error]a")
    result = scrapy(*arguments, *robot)

    assert result.code in {0, 1, 3}
    assert COMMAND.search(result.out) is None
    assert COMMAND.search(result.err) is None


def test_json_output_decodes_to_the_text_of_the_file(tmp_path: Path) -> None:
    """Escapes against workflow commands disappear when JSON is decoded."""
    file = tmp_path / "robots.txt"
    file.write_text(HOSTILE, "utf-8")

    result = scrapy("robots-lint", str(file), "--format", "json")
    (report,) = json.loads(result.out)["files"]

    assert [line["text"] for line in report["lines"]] == HOSTILE.splitlines()
