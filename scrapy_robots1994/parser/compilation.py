"""Compilation: the rules of one robot, straight from the text, without an object for
each line.

It finds what `records.py` finds (the tests hold the two against each other), and only
what a question needs.
"""

from collections.abc import Sequence
from typing import TypeAlias

from scrapy_robots1994.parser.blocks import blocks_of
from scrapy_robots1994.parser.dialects import CAUTIOUS, Dialect
from scrapy_robots1994.parser.grammar import PATH_LINE, URL_LINE, decode, found_in
from scrapy_robots1994.parser.lines import read_lines
from scrapy_robots1994.parser.matching import (
    NO_RULES,
    absolute,
    is_plain,
    prefix_free,
    spelled,
)
from scrapy_robots1994.parser.records import applied, read_records

# What a robot is not to retrieve: paths in their canonical spelling, as they come; then
# two prefix-free lists, literal values that hold a `%`, be they paths or absolute URLs,
# and the canonical spellings of the absolute URLs; and whether all is as plain as
# `is_plain` says. A tuple, for no class is made as quickly, and one is made for every
# file.
Rules: TypeAlias = tuple[Sequence[str], tuple[str, ...], tuple[str, ...], bool]

_NOTHING: Rules = ((), NO_RULES, NO_RULES, True)


def compile_rules(text: bytes, dialect: Dialect, reading: str, names: str) -> Rules:
    """Return the rules that a robot that goes by *names* (see `names_of`) obeys in
    *text*.
    """
    if dialect.has_lists:
        return _from_records(decode(text), dialect, reading, names)
    blocks = blocks_of(text, dialect, reading, names)
    if not blocks:
        return _NOTHING
    # Of one block it is that block itself.
    block = "".join(blocks)
    paths = found_in(block, PATH_LINE)
    urls = found_in(block, URL_LINE) if "://" in block else None
    return _rules(paths, urls, block)


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
    return _rules(paths, urls, "".join(paths))


def _rules(paths: list[str], urls: list[str] | None, said: str) -> Rules:
    """Return *paths* and *urls*, all of which stand in the text *said*."""
    if not urls and is_plain(said):
        return paths, NO_RULES, NO_RULES, True
    absolutes = [absolute(url) or "" for url in urls or ()]
    return (
        # Ours O18: one spelling for all percent-encodings ...
        [spelled(path) for path in paths],
        # ... and the literal one, for a rule whose last escape is cut short.
        prefix_free([it for it in (*paths, *absolutes) if "%" in it]),
        # Ours O19: an absolute URL counts, too.
        prefix_free([spelled(url) for url in absolutes]),
        False,
    )
