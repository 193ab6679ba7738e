"""The memory of `IgnoredWildcards` is bounded."""

from __future__ import annotations

import random
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request

from scrapy_robots1994.crawl import wildcards as module
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.robotstxt import MAX_BYTES as MAX_FILE
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES = 2_000_000
RULE = b"User-agent: *\nDisallow: /*x\n"


def long_comment(number: int) -> bytes:
    """Return a file of the maximum size, with one rule and a comment."""
    noise = random.Random(number).randbytes(MAX_FILE // 2).hex().encode()  # noqa: S311 - noise
    return (RULE + b"#" + noise)[:MAX_FILE]


def many_rules(number: int) -> bytes:
    """Return a file of different rules. The tables of the rules take more memory than the
    file.
    """
    lines = (b"Disallow: /*%d-%d" % (number, line) for line in range(500))
    return RULE + b"\n".join(lines)


@pytest.mark.parametrize("file", [long_comment, many_rules])
def test_memory_of_large_files_is_bounded(
    file: Callable[[int], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 30 files, `IgnoredWildcards` takes at most 25% more memory than its limit."""
    monkeypatch.setattr(module, "MAX_BYTES", MAX_BYTES)
    crawler: Any = idle_crawler({})
    wildcards = module.IgnoredWildcards(crawler, "1994")
    tracemalloc.start()
    try:
        for number in range(30):
            robots = RobotsTxt.parse(file(number))
            url = f"http://h{number}.test/page"
            origin = Origin.of(url)
            assert origin is not None
            rules = robots.rules("examplebot")
            wildcards.sent(Request(url), (), origin, robots, rules)
        del robots, rules
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert taken < 1.25 * MAX_BYTES
