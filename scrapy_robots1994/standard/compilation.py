"""Compilation: the rules of one robot, straight from the text, without an object for
each line.

It finds what `records.py` finds (the tests hold the two against each other), and only
what a question needs.
"""

import re
from typing import NamedTuple

from scrapy_robots1994.standard.blocks import blocks_of
from scrapy_robots1994.standard.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.standard.grammar import PATH_LINE, URL_LINE, decode, slices
from scrapy_robots1994.standard.lines import read_lines
from scrapy_robots1994.standard.matching import (
    NO_RULES,
    absolute,
    canonical,
    is_plain,
    prefix_free,
)
from scrapy_robots1994.standard.records import applied, read_records


class Rules(NamedTuple):
    """The rules of one robot as three prefix-free lists.

    *paths* are canonical, *escaped* literal (those that hold a `%`), *urls* absolute,
    in both spellings.
    """

    paths: tuple[str, ...] = NO_RULES
    escaped: tuple[str, ...] = NO_RULES
    urls: tuple[str, ...] = NO_RULES
    is_plain: bool = True


_NOTHING = Rules()


def compile_rules(text: bytes, dialect: Dialect, reading: str, names: str) -> Rules:
    """Return the rules that a robot that goes by *names* (see `names_of`) obeys in
    *text*.
    """
    if dialect.has_lists:
        return _from_records(decode(text), dialect, reading, names)
    blocks = blocks_of(text, dialect, reading, names)
    return _rules("".join(blocks)) if blocks else _NOTHING


def _found(line: re.Pattern[str], block: str) -> list[str]:
    """Return the values of all lines of a kind."""
    return [value for part in slices(block) for value in line.findall(part)]


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
        return Rules(prefix_free(paths))
    absolutes = [absolute(url) or "" for url in urls]
    return Rules(
        # Ours O18: one spelling for all percent-encodings ...
        paths=prefix_free([it if is_plain(it) else canonical(it) for it in paths]),
        # ... and the literal one, for a rule whose last escape is cut short.
        escaped=prefix_free([path for path in paths if "%" in path]),
        urls=prefix_free([*absolutes, *map(canonical, absolutes)]),
        is_plain=False,
    )
