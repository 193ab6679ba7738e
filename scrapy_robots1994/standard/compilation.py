"""Compilation: the rules of one robot, straight from the text, without an object for
each line.

It finds what `records.py` finds (the tests hold the two against each other), and only
what a question needs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scrapy_robots1994.standard.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.standard.grammar import (
    AGENT_LINE,
    BOUNDARY,
    PATH_LINE,
    RULE_LINE,
    SPACE,
    URL_LINE,
    normalised,
)
from scrapy_robots1994.standard.matching import (
    absolute,
    canonical,
    is_plain,
    prefix_free,
)
from scrapy_robots1994.standard.records import EVERYBODY, speaks_to


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one robot as three prefix-free lists.

    *paths* are canonical, *escaped* literal (those that hold a `%`), *urls* absolute,
    in both spellings.
    """

    paths: tuple[str, ...]
    escaped: tuple[str, ...]
    urls: tuple[str, ...]


def compile_rules(
    text: str, dialect: Dialect, reading: str, names: tuple[str, ...]
) -> Rules:
    """Return the rules that a robot that goes by *names* (in lower case) obeys in
    *text*.
    """
    pieces = AGENT_LINE.split(normalised(text))
    blocks = _applied(_blocks(pieces, dialect, joins_split=False), names)
    if reading == CAUTIOUS:
        # The cautious reading forbids what either reading of the blank lines forbids.
        blocks += _applied(_blocks(pieces, dialect, joins_split=True), names)
    return _rules("\n".join(blocks))


def _blocks(
    pieces: list[str], dialect: Dialect, *, joins_split: bool
) -> Iterator[tuple[list[str], str]]:
    """Yield the names of each record and the text that holds its Disallow lines.

    *pieces* are what stands before the first User-agent line, which is nobody's (Ours
    O4), then in turn a User-agent value and what stands between it and the next one.
    """
    names: list[str] = []
    for value, after in zip(pieces[1::2], pieces[2::2], strict=True):
        names += dialect.names(value)
        # 1994 F1: a blank line ends the record; when it is the last line before the next
        # User-agent line, the pattern took its second NL.
        end = after.find(BOUNDARY)
        block = after if end < 0 else after[:end]
        if joins_split and end >= 0 and not RULE_LINE.search(block):
            block = _joined(after, end)
        # Ours O7: after a Disallow line a User-agent line starts a new record.
        if end >= 0 or after.endswith("\n") or RULE_LINE.search(block):
            yield names, block
            names = []


def _joined(after: str, blank: int) -> str:
    """Return *after* up to the end of the record when the blank line at *blank* is
    none.
    """
    rule = RULE_LINE.search(after, blank + 1)
    end = -1 if rule is None else after.find(BOUNDARY, rule.end())
    return after if end < 0 else after[:end]


def _applied(
    blocks: Iterable[tuple[list[str], str]], names: tuple[str, ...]
) -> list[str]:
    """Return the blocks that speak to a robot that goes by *names*."""
    default = []
    for agents, block in blocks:
        # Ours O1: of several records that match, the first in the file.
        if any(speaks_to(agent, names) for agent in agents):
            return [block]
        # 1994 A3: `*` is for robots that matched no other record.
        # Ours O2: several such records are obeyed together.
        if EVERYBODY in agents:
            default.append(block)
    return default


def _rules(block: str) -> Rules:
    """Return the rules in *block*, the text of all records that apply."""
    paths = {path.rstrip(SPACE) for path in PATH_LINE.findall(block)}
    urls = URL_LINE.findall(block) if "://" in block else []
    if not urls and is_plain(block):
        return Rules(prefix_free(paths), (), ())
    absolutes = [absolute(url.rstrip(SPACE)) or "" for url in urls]
    return Rules(
        # Ours O18: one spelling for all percent-encodings ...
        paths=prefix_free(map(canonical, paths)),
        # ... and the literal one, for a rule whose last escape is cut short.
        escaped=prefix_free(path for path in paths if "%" in path),
        urls=prefix_free([*absolutes, *map(canonical, absolutes)]),
    )
