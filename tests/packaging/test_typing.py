"""Strict type checkers accept correct uses of the installed package and reject wrong ones."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.packaging.building import run

USER = """
from collections.abc import AsyncIterator, Iterator

from scrapy import Request, Spider
from scrapy.http import Response
from twisted.python.failure import Failure

from scrapy_robots1994 import Addon, ForbiddenByRobots, Reason, RobotsTxt, Verdict


class Walk(Spider):
    name = "walk"
    custom_settings = {"ADDONS": {Addon: 500}}

    async def start(self) -> AsyncIterator[Request]:
        yield Request("https://example.com/", errback=self.refused)

    def parse(self, response: Response) -> Iterator[dict[str, str]]:
        yield {"url": response.url}

    def refused(self, failure: Failure) -> None:
        error = failure.value
        if isinstance(error, ForbiddenByRobots):
            verdict: Verdict = error.verdict
            line: int | None = verdict.line
            self.logger.info("%s %s", line, verdict.reason is Reason.RULE)


def closed(body: bytes) -> list[str]:
    robots = RobotsTxt.parse(body, dialect="extended")
    allowed: bool = robots.allowed("https://example.com/a", "walk")
    named = [problem.message for problem in robots.problems]
    return named if allowed else [line.text for line in robots.lines]
"""
WRONG = """
from scrapy_robots1994 import RobotsTxt

RobotsTxt.parse(1994)
line: str = RobotsTxt.parse(b"").verdict("/", "me").line
"""
CHECKERS: dict[str, list[str | Path]] = {
    "mypy": ["mypy", "--strict", "--python-executable"],
    "pyright": ["pyright", "--pythonpath"],
}


@pytest.mark.parametrize(
    "checker", [pytest.param(name, marks=pytest.mark.plugin(name)) for name in CHECKERS]
)
def test_type_checker_accepts_right_and_rejects_wrong_code(
    checker: str, newest: Path, tmp_path: Path
) -> None:
    (tmp_path / "right.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(WRONG)
    command = (sys.executable, "-m", *CHECKERS[checker], newest)

    run(*command, "right.py", folder=tmp_path)
    with pytest.raises(AssertionError) as raised:
        run(*command, "wrong.py", folder=tmp_path)

    lines = [line for line in str(raised.value).split("\n") if "wrong.py:" in line]
    assert {"4", "5"} <= {line.split("wrong.py:")[1].split(":")[0] for line in lines}
