"""Identical files are parsed and stored once."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

from scrapy_robots1994.robotstxt import Reader, RobotsTxt
from tests.unit.samples import BODY

LIMIT = 512_000


def new_reader(limit: int = LIMIT) -> Reader:
    """Return a reader with the default settings."""
    return Reader("1994", "literal", limit)


def test_identical_bodies_are_one_object() -> None:
    """Equal bytes in two objects make one `RobotsTxt`."""
    reader = new_reader()

    first, second = reader.read(bytes(BODY)), reader.read(bytes(bytearray(BODY)))

    assert first is second
    assert first == RobotsTxt.parse(BODY)


def test_different_bodies_are_different_files() -> None:
    """A body with one more line makes a file that is not equal."""
    reader = new_reader()

    assert reader.read(BODY) != reader.read(BODY + b"Disallow: /more\n")


def test_truncated_and_whole_body_are_different_files() -> None:
    """Ours O24: of a truncated body the last line is not obeyed."""
    reader = new_reader()
    whole, cut = reader.read(BODY[:-1]), reader.read(BODY[:-1], is_truncated=True)

    assert (whole.is_truncated, cut.is_truncated) == (False, True)
    assert not whole.allowed("/closed", "me")
    assert cut.allowed("/closed", "me")


def test_ours_o24_bytes_beyond_the_limit_do_not_distinguish_files() -> None:
    """Two files that are equal up to the limit are one."""
    reader = new_reader(limit=len(BODY))

    first, second = reader.read(BODY + b"Disallow: /a"), reader.read(BODY + b"# b")

    assert first is second
    assert first.is_truncated
    assert first.body == BODY


def test_ours_o24_a_file_as_long_as_the_limit_is_whole() -> None:
    """The limit is inclusive."""
    robots = new_reader(limit=len(BODY)).read(BODY)

    assert not robots.is_truncated
    assert robots.body == BODY


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


def test_threads_share_one_reader() -> None:
    """Bodies read by several threads at once are not mixed up."""
    reader = new_reader()
    bodies = [b"User-agent: *\nDisallow: /%d\n" % (number % 7) for number in range(500)]

    with ThreadPoolExecutor(4) as threads:
        files = list(threads.map(reader.read, bodies))

    assert [robots.body for robots in files] == bodies
