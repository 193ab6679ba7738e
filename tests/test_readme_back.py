"""What the README names is there: the walk back, from its words to the code."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from functools import cache
from importlib import import_module
from inspect import getmembers
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings, default_settings

import scrapy_robots1994
from scrapy_robots1994 import Directives, ForbiddenByRobots, Reason, Robots1994Parser
from scrapy_robots1994.comparison import Direction
from scrapy_robots1994.plugin.commands import check, compare, lint, store
from scrapy_robots1994.plugin.settings import PREFIX, SETTINGS
from scrapy_robots1994.plugin.stats import MEANINGS
from scrapy_robots1994.upkeep import Outcome
from tests.support.named import signal_words
from tests.support.readme import README, ROOT, fences, spans

if TYPE_CHECKING:
    from scrapy_robots1994.plugin.commands.base import RobotsCommand

CHANGES = (ROOT / "CHANGELOG.md").read_text("utf-8")
COMMANDS: dict[str, type[RobotsCommand]] = {
    "robots-check": check.RobotsCheck,
    "robots-lint": lint.RobotsLint,
    "robots-compare": compare.RobotsCompare,
    "robots-store": store.RobotsStore,
}
VARIABLES = {"ROBOTS1994_CORPUS": "tests/support/corpus.py"}
"""Variables of the environment, with the file that reads each."""

UNLISTED = {"DOWNLOAD_SLOTS"}
"""Settings of Scrapy that its older versions read without a default."""

WORDS = {"INFO", "WARNING", "DEBUG", "COLUMNS"}
"""Levels of the log, and a name of our own source."""

THEIRS = {
    "CrawlerProcess": "scrapy.crawler",
    "CrawlerRunner": "scrapy.crawler",
    "FilesPipeline": "scrapy.pipelines.files",
    "ImagesPipeline": "scrapy.pipelines.images",
    "IgnoreRequest": "scrapy.exceptions",
    "SitemapSpider": "scrapy.spiders",
    "Finding": "scrapy_robots1994.comparison",
    "PolicyStore": "scrapy_robots1994.stores",
    "SharedStore": "scrapy_robots1994.stores",
}
"""Classes that are not public at our top, with the room where a reader finds each."""

FOREIGN = {"HttpClient", "HttpError"}
"""Of scrapy-poet, which not every environment has."""

FIELDS = {"Allow", "Sitemap", "Lycos", "Async", "None", "True", "False"}
"""Words that only look like classes."""

VALUES = {
    "outcome": "|".join(it.value for it in Outcome),
    "reason": "|".join([*(it.value for it in Reason), "nofollow", "rel-nofollow"]),
    "direction": "|".join(it.value for it in Direction),
    "status": r"[1-5]\d\d",
    "kind": r"<class '[\w.]+'>",
    "parser": r"\w+|<parser>",
    "origin": r"https?://[\w.:]+",
}
"""What may stand in the gap of a stat, beside the gap itself."""


def section(title: str, level: int = 2) -> str:
    """The text below a heading, up to the next one of its kind."""
    mark = "\n" + "#" * level + " "
    return README.partition(f"{mark}{title}")[2].partition(mark)[0]


def known_stat() -> re.Pattern[str]:
    """A pattern of every stat, its gaps as they are or filled in."""
    keys = []
    for key in MEANINGS:
        parts = re.split(r"\{(\w+)\}", key)
        filled = [
            rf"(\{{{part}\}}|{VALUES[part]})" if at % 2 else re.escape(part)
            for at, part in enumerate(parts)
        ]
        keys.append("".join(filled))
    return re.compile("|".join(keys))


def test_every_setting_that_is_named_is_one() -> None:
    """Ours with the prefix or without, Scrapy's, or a variable of the tests."""
    named = set(re.findall(rf"{PREFIX}\w+", README + CHANGES))
    capitals = {it for it in spans() if re.fullmatch(r"[A-Z][A-Z0-9_]+", it)}
    ours = {PREFIX + name for name in SETTINGS}

    assert named - ours == set(VARIABLES)
    known = {*dir(default_settings), *UNLISTED, *SETTINGS, *ours, PREFIX, *WORDS}
    assert capitals - known == set()
    for name, path in VARIABLES.items():
        assert name in (ROOT / path).read_text("utf-8")


def test_every_stat_that_is_named_is_one() -> None:
    """A key of ours, a gap of it filled in with what it may hold, or how all begin."""
    part = r"(?<![\w.])robots(?:1994|txt)/(?:<class '[^']+'>|[\w/{}<>.:-])*(…?)"
    named = {it[0].rstrip(".:") for it in re.finditer(part, README)}
    known = known_stat()

    begun = {it for it in named if it.endswith(("/", "/…"))}
    assert [it for it in named - begun if not known.fullmatch(it)] == []
    for it in begun:
        assert any(key.startswith(it.rstrip("…")) for key in MEANINGS)


def test_every_reason_in_the_table_is_one() -> None:
    """No row tells of a reason that no verdict has."""
    table = section("Stats").partition("| reason |")[2].partition("\n\n")[0]

    assert re.findall(r"^\| `(.+?)` \|", table, re.MULTILINE) == [
        reason.value for reason in Reason
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_exit_codes_are_those_of_the_help(name: str) -> None:
    """Number by number, in the same words."""
    (told,) = re.findall(
        r"^Exit code: (.+?)\.$",
        section(f"`scrapy {name}`", level=3),
        re.MULTILINE | re.DOTALL,
    )

    _, _, helped = COMMANDS[name].examples.partition("exit code: ")

    assert told.replace("`", "").split() == helped.split()


@cache
def choices(name: str) -> dict[str, tuple[str, ...]]:
    """The options of a command that take one of several words, with these."""
    parser, command = ArgumentParser(), COMMANDS[name]()
    command.settings = Settings()
    command.add_options(parser)
    return {
        option: tuple(action.choices)
        for action in parser._actions
        for option in action.option_strings
        if action.choices
    }


def test_the_formats_are_those_that_are_taken() -> None:
    """Each that is not the default; and the severities of --fail-on, all of them."""
    told = " ".join(section("`scrapy robots-lint`", level=3).split())
    taken = choices("robots-lint")

    (formats,) = re.findall(r"`--format (\w+)`, ([^;]+);", told)
    listed = {formats[0], *re.findall(r"`(\w+)`", formats[1])}
    (severities,) = re.findall(r"`--fail-on ([\w|]+)`", told)

    assert listed | {"text"} == set(taken["--format"])
    assert tuple(severities.split("|")) == taken["--fail-on"]


def test_the_actions_of_the_store_are_those_that_are_taken() -> None:
    """In their order, and in the changelog the same."""
    part = section("`scrapy robots-store`", level=3).partition("```\n\n")[2]
    listed = re.findall(r"`([\w-]+)`", part.partition("work on any lasting store")[0])

    assert tuple(listed) == store.ACTIONS
    assert f"robots-store {'|'.join(store.ACTIONS)}`" in CHANGES


def test_the_words_of_the_signals_are_those_that_are_sent() -> None:
    """What a handler may take, by name, in both directions."""
    told = section("Signals").partition("A `SitemapSpider`")[0]
    told = re.sub(r"```.*?```", "", told, flags=re.DOTALL)

    named = set(re.findall(r"`([a-z]+)`", told))

    assert named - {"extended"} == signal_words()


def test_every_class_that_is_named_is_there() -> None:
    """Public names of ours, or of Scrapy in the room that is known here."""
    like = re.compile(r"(?:scrapy_robots1994\.)?([A-Z][a-z]+\w*)(?:\(.*\))?")
    named = {found[1] for it in spans() if (found := like.fullmatch(it))}

    unknown = named - set(scrapy_robots1994.__all__) - FOREIGN - FIELDS
    assert unknown == set(THEIRS)
    for name, room in THEIRS.items():
        assert hasattr(import_module(room), name)


def test_every_path_into_the_package_leads_somewhere() -> None:
    """`scrapy_robots1994.Addon`, `scrapy_robots1994.plugin.forbidden…`: all of them."""
    paths = set(re.findall(r"\bscrapy_robots1994(?:\.\w+)+", README))

    for path in paths:
        room, _, name = path.rpartition(".")
        assert hasattr(import_module(room), name), path


def test_every_attribute_that_is_named_is_there() -> None:
    """What stands after a dot in code marks: of an exception, a file, a page."""
    named = {it[1:] for it in spans() if re.fullmatch(r"\.[a-z]\w+", it)}
    kinds = (ForbiddenByRobots, Directives, Robots1994Parser)
    known = {name for kind in kinds for name, _ in getmembers(kind)}
    known |= {"verdict", "robots", "html", "json", "csv"}

    assert named - known - {*Directives.__dataclass_fields__} == set()


def test_every_name_that_is_imported_is_there() -> None:
    """In all Python blocks, also in those that are lines of settings."""
    code = "\n".join(it.body for it in fences() if it.language == "python")
    found = re.findall(r"^from (scrapy\S*) import (.+)$", code, re.MULTILINE)

    for room, names in found:
        for name in names.split(", "):
            assert hasattr(import_module(room), name)
