"""Compilation: the rules of one robot, straight from the text, without an object for
each line.

It finds what `records.py` finds (the tests hold the two against each other), and only
what a question needs.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scrapy_robots1994.standard.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.standard.grammar import (
    AGENT_LINE,
    BOUNDARY,
    PATH_LINE,
    RULE_LINE,
    URL_LINE,
    framed,
    slices,
)
from scrapy_robots1994.standard.lines import read_lines
from scrapy_robots1994.standard.matching import (
    NO_RULES,
    absolute,
    canonical,
    is_plain,
    prefix_free,
)
from scrapy_robots1994.standard.records import (
    EVERYBODY,
    applied,
    read_records,
    speaks_to,
)


class Rules(NamedTuple):
    """The rules of one robot as three prefix-free lists.

    *paths* are canonical, *escaped* literal (those that hold a `%`), *urls* absolute,
    in both spellings.
    """

    paths: tuple[str, ...]
    escaped: tuple[str, ...]
    urls: tuple[str, ...]
    is_plain: bool


def compile_rules(text: str, dialect: Dialect, reading: str, names: str) -> Rules:
    """Return the rules that a robot that goes by *names* (see `names_of`) obeys in
    *text*.
    """
    if dialect.has_lists:
        return _from_records(text, dialect, reading, names)
    return _rules("\n".join(blocks_of(text, dialect, reading, names, RULE_LINE)))


def blocks_of(
    text: str, dialect: Dialect, reading: str, names: str, rule_line: re.Pattern[str]
) -> list[str]:
    """Return, for each record that applies to a robot that goes by *names*, the text
    below its first name; its rules are lines like *rule_line*.
    """
    pieces = pieces_of(framed(text))
    applying = _applied(_records(pieces, dialect, rule_line), names)
    blocks = [_until_blank(after) for after in applying]
    if reading == CAUTIOUS:
        # The cautious reading forbids what either reading of the blank lines forbids.
        blocks += (_past_blank(after, rule_line) for after in applying)
    return blocks


def pieces_of(text: str) -> list[str]:
    """Return what stands before the first User-agent line of *text*, framed, then in
    turn a User-agent value and what stands between it and the next one.
    """
    first, *others = slices(text)
    pieces = AGENT_LINE.split(first)
    for part in others:
        before, *more = AGENT_LINE.split(part)
        pieces[-1] += before
        pieces += more
    return pieces


def _records(
    pieces: list[str], dialect: Dialect, rule_line: re.Pattern[str]
) -> Iterator[tuple[list[str], str]]:
    """Yield the names of each record, and what stands between them and the next name.

    *pieces* are those of `pieces_of`; the first is nobody's (Ours O4).
    """
    names: list[str] = []
    between = ""
    for value, after in zip(pieces[1::2], pieces[2::2], strict=True):
        names += dialect.names(value)
        # Ours O7: after a Disallow line a User-agent line starts a new record.
        # 1994 F1: and after a blank line; of one that is the last before the next
        # User-agent line, the pattern of that line has the second NL.
        if rule_line.search(after) or BOUNDARY.search(f"{after}\n"):
            yield names, between + after
            names, between = [], ""
        else:
            # Ours X6: what stands between two names of a record is of that record.
            between += after


def _until_blank(after: str) -> str:
    """Return *after* up to its first blank line."""
    blank = BOUNDARY.search(after)
    return after[: blank.start()] if blank else after


def _past_blank(after: str, rule_line: re.Pattern[str]) -> str:
    """Return *after* up to the first blank line that follows a Disallow line."""
    # The cautious reading: a blank line before the Disallow lines is no boundary.
    rule = rule_line.search(after)
    blank = BOUNDARY.search(after, rule.end()) if rule else None
    return after[: blank.start()] if blank else after


def _applied(records: Iterable[tuple[list[str], str]], names: str) -> list[str]:
    """Return what follows the names of each record that speaks to a robot that goes by
    *names*.
    """
    default = []
    for agents, after in records:
        for agent in agents:
            # Ours O1: of several records that match, the first in the file.
            if speaks_to(agent, names):
                return [after]
        # 1994 A3: `*` is for robots that matched no other record.
        # Ours O2: several such records are obeyed together.
        if EVERYBODY in agents:
            default.append(after)
    return default


def _found(line: re.Pattern[str], block: str) -> list[str]:
    """Return the values of all lines of a kind."""
    found: list[str] = []
    for part in slices(block):
        found += line.findall(part)
    return found


def _rules(block: str) -> Rules:
    """Return the rules in *block*, the text of all records that apply."""
    paths: list[str] = _found(PATH_LINE, block)
    urls = _found(URL_LINE, block) if "://" in block else []
    return _rules_of(paths, urls, block)


def _from_records(text: str, dialect: Dialect, reading: str, names: str) -> Rules:
    """Return the rules by way of lines and records, where a line may hold several."""
    lines = tuple(read_lines(text, dialect))
    records = applied(tuple(read_records(lines, dialect)), names)
    if reading == CAUTIOUS:
        joined = read_records(lines, dialect, joins_split=True)
        records += applied(tuple(joined), names)
    values = [rule.value for record in records for rule in record.rules]
    paths = [value for value in values if value.startswith("/")]
    urls = [value for value in values if absolute(value) is not None]
    return _rules_of(paths, urls, "".join(paths))


def _rules_of(paths: list[str], urls: list[str], said: str) -> Rules:
    """Return *paths* and *urls*, all of which stand in the text *said*, as lists."""
    if not urls and is_plain(said):
        return Rules(prefix_free(paths), NO_RULES, NO_RULES, is_plain=True)
    absolutes = [absolute(url) or "" for url in urls]
    return Rules(
        # Ours O18: one spelling for all percent-encodings ...
        paths=prefix_free(it if is_plain(it) else canonical(it) for it in paths),
        # ... and the literal one, for a rule whose last escape is cut short.
        escaped=prefix_free(path for path in paths if "%" in path),
        urls=prefix_free([*absolutes, *map(canonical, absolutes)]),
        is_plain=False,
    )
