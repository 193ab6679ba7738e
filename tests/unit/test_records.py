"""A record with every attribute that a record can have: no copy or format loses an
attribute.
"""

from __future__ import annotations

import gc
import pickle
import sys
from dataclasses import fields
from enum import Enum
from types import FunctionType

import pytest

from scrapy_robots1994.commands.lint_report import Report, as_json
from scrapy_robots1994.parser.dialects import DIALECTS, Dialect
from scrapy_robots1994.robotstxt import RobotsTxt

WHOLE = """\
User-agent: rex
User-agent: max
Disallow: /a
Disallow: /a/b*c$
Content-Usage: search=n
License: https://h.test/license
Disallow: https://h.test/%7ex
Disallow: /cut%
Allow: /a/b
Crawl-delay: 5
"""
"""One record with each attribute, and with rules for each of the rule tables."""


def whole() -> RobotsTxt:
    """Parse `WHOLE`."""
    return RobotsTxt.parse(WHOLE, dialect="extended")


def test_each_attribute_of_a_record_has_a_value() -> None:
    """Each attribute of the record has a value. A new attribute needs a line in `WHOLE`."""
    (record,) = whole().records

    assert [it.name for it in fields(record) if not getattr(record, it.name)] == []


def test_pickle_and_copy_of_a_file_have_the_whole_record() -> None:
    """An unpickled file has the records and lines of the original file. An unpickled
    record equals the original record.
    """
    robots = whole()
    robots.rules("rex")

    again = pickle.loads(pickle.dumps(robots))  # noqa: S301 (our own)

    assert again == robots
    assert again.records == robots.records
    assert again.lines == robots.lines
    (record,) = robots.records
    assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301


def test_json_has_what_is_obeyed() -> None:
    """For each record, the JSON report contains the names, the rules of both kinds, the
    delay, and the first and last line numbers.
    """
    (record,) = as_json(Report("x", whole()))["records"]

    assert record == {
        "names": ("rex", "max"),
        "first_line": 1,
        "last_line": 10,
        "disallow": ["/a", "/a/b*c$", "https://h.test/%7ex", "/cut%"],
        "allow": ["/a/b"],
        "crawl_delay": 5.0,
    }


@pytest.mark.parametrize("more", [0, 500])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_memory_of_rules_counts_all_that_they_refer_to(dialect: str, more: int) -> None:
    """`memory_bytes` is the total size of all objects that the garbage collector finds in
    a file, without shared objects such as the dialect.
    """
    body = WHOLE + "".join(f"Disallow: /{it}\n" for it in range(more))
    robots = RobotsTxt.parse(body, dialect=dialect)
    assert not robots.allowed("/a", "rex")
    assert robots.usage("/", "rex")["search"].value == "disallow"
    found: dict[int, object] = {}
    left: list[object] = [robots]
    while left:
        it = left.pop()
        is_single = (
            isinstance(it, (type, FunctionType, bool, Enum, Dialect)) or it is None
        )
        if not is_single and id(it) not in found:
            found[id(it)] = it
            left += gc.get_referents(it)

    counted = sum(map(sys.getsizeof, found.values()))
    assert robots.memory_bytes == counted
