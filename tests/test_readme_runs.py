"""Nothing in the README is only shown: a test runs each command and each snippet.

A test that runs one asks for it by `tests.support.readme`, word for word; this walk
looks which of them nobody asks for.
"""

from __future__ import annotations

import re

from scrapy_robots1994 import ForbiddenByRobots, RobotsTxt
from tests.support import readme

NOT_TYPED = {
    ".ci/run": "it is what runs these tests",
    "tox": "it runs these tests on every pair; its environments are listed instead",
    "tox -e beyond": "it runs these tests once more; .ci/run has a part of it",
    "tox -e package": "it runs tests/release",
    "tox -e audit": "it asks an index for known holes, which takes a network",
    "python -m tests.proofs.strangers [FOLDER]": "it clones, which takes a network; "
    "tests/proofs/test_strangers.py runs it on a project of its own",
}
"""Commands that no test can run, each with the reason."""

LANGUAGES = {"console", "python", "sh", "text"}
SETTING = re.compile(r"[A-Z][A-Z0-9_]* = ", re.MULTILINE)


def test_every_command_is_run_by_a_test() -> None:
    """A new one, in a block or in a sentence, must bring the test that types it."""
    run = readme.asked_for("typed") | readme.asked_for("block")

    assert sorted(readme.commands() - run - set(NOT_TYPED)) == []


def test_every_command_that_is_run_is_shown() -> None:
    """No test types what the README says no longer, and no excuse outlives its need."""
    asked = readme.asked_for("typed") | readme.asked_for("told")

    assert sorted((asked | set(NOT_TYPED)) - readme.commands()) == []
    assert not set(NOT_TYPED) & asked


def test_every_output_is_compared() -> None:
    """Each text that is shown follows a command whose test asks what it tells."""
    shown = {it.body for it in readme.fences() if it.language == "text"}
    compared = {readme.told(it) for it in readme.asked_for("told")}
    alone = readme.asked_for("text")

    left = [it for it in shown - compared if not any(part in it for part in alone)]
    assert left == []


def test_every_block_is_of_a_language_that_is_walked() -> None:
    """A block in another language, or in none, would be run by nobody."""
    assert {it.language for it in readme.fences()} == LANGUAGES


def settings_blocks() -> list[str]:
    """The Python blocks that are lines for a project's settings."""
    blocks = [it.body for it in readme.fences() if it.language == "python"]
    return [it for it in blocks if SETTING.match(it)]


def test_every_snippet_is_run_by_a_test() -> None:
    """A Python block is for the settings, or a test asks for it by a part of it."""
    blocks = {it.body for it in readme.fences() if it.language == "python"}
    run = {readme.code(part) for part in readme.asked_for("code")}

    assert sorted(blocks - set(settings_blocks()) - run) == []


def test_the_log_line_at_the_top_is_what_a_refusal_says() -> None:
    """The sentence of the hall's line 7 in the example."""
    (line,) = readme.text("Forbidden by robots.txt: disallowed by line 7").splitlines()
    body = "#\n" * 4 + "User-agent: townwalker\nDisallow: /x\nDisallow: /archive\n"

    verdict = RobotsTxt.parse(body).verdict("/archive", "townwalker/1.0")

    assert str(ForbiddenByRobots(verdict)) == line
