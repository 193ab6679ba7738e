"""Tests of the copy with which each waiting request fails."""

from __future__ import annotations

import pytest

from scrapy_robots1994.crawl.resolver import copy_of


class OwnNew(Exception):  # noqa: N818 - an exception of anybody
    """An exception that its arguments alone do not make."""

    def __new__(cls, url: str, why: str) -> OwnNew:  # noqa: PYI034
        """Make it from two arguments, of which one is kept."""
        return super().__new__(cls, f"{url}: {why}")

    def __init__(self, url: str, why: str) -> None:
        """Keep one argument."""
        super().__init__(f"{url}: {why}")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("plain"),
        FileNotFoundError(2, "no", "file"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
        OwnNew("http://h.test", "down"),
    ],
    ids=lambda it: type(it).__name__,
)
def test_copy_says_what_the_error_says(error: Exception) -> None:
    """Of a class whose copy would say something else, the error itself is used."""
    copied = copy_of(error)

    assert type(copied) is type(error)
    assert str(copied) == str(error)
    assert copied is error or copied.__cause__ is error
