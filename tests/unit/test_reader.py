"""Identical files are parsed and stored once."""

from __future__ import annotations

import gc
import weakref

from scrapy_robots1994.robotstxt import Reader, RobotsTxt
from tests.unit.samples import BODY

LIMIT = 512_000


def new_reader(limit: int = LIMIT) -> Reader:
    """Return a reader with the default settings."""
    return Reader("1994", "literal", limit)


def test_unreferenced_file_is_freed() -> None:
    """The reader holds only weak references."""
    reader = new_reader()
    reference = weakref.ref(reader.read(BODY))

    gc.collect()

    assert reference() is None


def test_bodies_with_the_same_hash_are_distinguished() -> None:
    """A file found by its hash is returned only if its bytes are equal."""
    reader = new_reader()
    first = reader.read(BODY)
    other = b"User-agent: *\nDisallow: /other\n"
    reader._known[hash(other), False] = first

    assert reader.read(other) == RobotsTxt.parse(other)
