"""Make tests fail if processes that they start emit warnings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import scrapy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Warned = tuple[str, str, str]
"""The category, message and file of a warning."""

IS_NEWEST = tuple(map(int, scrapy.__version__.split(".")[:2])) >= (2, 19)
"""Warnings fail a test only with the newest Scrapy: older versions emit some with current versions
of Twisted, Python and pyOpenSSL.
"""

PRINTED = re.compile(
    r"^(?P<file>\S.*?):\d+: (?P<category>\w*Warning): (?P<message>.*)$"
)


@dataclass(frozen=True, slots=True)
class Allowed:
    """Permits warnings of *category* with *message* in their text and *file* in their path."""

    category: str
    message: str
    file: str

    def matches(self, warned: Warned) -> bool:
        category, message, file = warned
        return (
            category == self.category and self.message in message and self.file in file
        )


ALLOWED = (
    # scrapy-redis uses an older stats interface of Scrapy.
    Allowed(
        "ScrapyDeprecationWarning",
        "'spider' argument to StatsCollector.inc_value()",
        "scrapy_redis/scheduler.py",
    ),
    # Without a reactor, a second interrupt leaves the start of the crawl unfinished.
    Allowed("ResourceWarning", "as_async_generator", "asyncio/base_events.py"),
)


def printed(log: str) -> Iterator[Warned]:
    for line in log.splitlines():
        if found := PRINTED.match(line):
            yield found["category"], found["message"], found["file"]


def unexpected(warned: Iterable[Warned]) -> list[Warned]:
    """Return the warnings that are not permitted. Older versions of Scrapy are not checked."""
    if not IS_NEWEST:
        return []
    return sorted(
        {each for each in warned if not any(it.matches(each) for it in ALLOWED)}
    )
