"""The memory of a file with every attribute that a record can have."""

from __future__ import annotations

import gc
import sys
from enum import Enum
from types import FunctionType

import pytest

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
