"""`--spider` where a command fetches nothing: it is told that it has no part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.commands.running import Ran, scrapy

if TYPE_CHECKING:
    from pathlib import Path

STORE = ("--store", "sqlite:///robots.db")
CALLS = {
    "check": ("robots-check", "--robots", "robots.txt", "/a"),
    "lint": ("robots-lint", "robots.txt"),
    "compare": ("robots-compare", "robots.txt", "--parsers", "ProtegoRobotParser"),
    "refresh": ("robots-store", "refresh", "--all", *STORE),
    "list": ("robots-store", "list", *STORE),
}
"""By its name in the tests: a call that fetches nothing."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a spider, a file and a store that holds nothing."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = town\n", "utf-8")
    (tmp_path / "town.py").write_text("SPIDER_MODULES = ['spiders']\n", "utf-8")
    (tmp_path / "spiders.py").write_text(
        "import scrapy\nclass Walk(scrapy.Spider):\n    name = 'walk'\n", "utf-8"
    )
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow:\n", "utf-8")
    (tmp_path / "robots.db").touch()
    return tmp_path


def answer(ran: Ran) -> tuple[int, list[str]]:
    """What *ran* answers, without the time that it took."""
    return ran.code, [line for line in ran.lines if not line.startswith("time: ")]


@pytest.mark.parametrize("call", CALLS)
def test_a_spider_where_nothing_is_fetched_has_no_part_in_it(
    call: str, folder: Path
) -> None:
    """That is said, for it may have a name of its own; the answer is the same."""
    alone = scrapy(*CALLS[call], folder=folder)
    ran = scrapy(*CALLS[call], "--spider", "walk", folder=folder)

    assert "--spider" not in alone.err
    assert "--spider counts only where something is fetched" in ran.err
    assert ("--robot says who asks" in ran.err) == (call in {"check", "compare"})
    assert answer(ran) == answer(alone)


@pytest.mark.parametrize("call", CALLS)
def test_a_spider_that_is_not_there_is_wrong_use(call: str, folder: Path) -> None:
    """Also where it would have had no part."""
    ran = scrapy(*CALLS[call], "--spider", "nosuch", folder=folder)

    assert ran.code == 2
    assert "no spider 'nosuch'" in ran.err + ran.out
    assert "Traceback" not in ran.err
