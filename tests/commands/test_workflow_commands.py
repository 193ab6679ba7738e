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

    ran = (
        scrapy(*given, "--robot", "##[error]a")
        if "lint" not in args[0]
        else scrapy(*given)
    )

    assert ran.code in {0, 1, 3}
    assert COMMAND.search(ran.out) is None
    assert COMMAND.search(ran.err) is None
    if "##" in ran.out.encode().decode("unicode_escape") and args[-1] in {
        "json",
        "--json",
    }:
        assert "##[" in json.dumps(
            json.loads(ran.out.split("\n")[0] if "check" in args[0] else ran.out)
        )
