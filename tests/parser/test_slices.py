"""A long text in parts: nothing lost, no line torn, no part much too long."""

from __future__ import annotations

import random

import pytest

from scrapy_robots1994.parser.grammar import framed, slices

SLICE = 32_768
LONGEST = 900


@pytest.mark.parametrize("size", [0, 10, SLICE, 3 * SLICE, 300_000])
def test_slices_are_the_text_line_by_line(size: int) -> None:
    """Each part but the first begins where a line ends; joined they are the text."""
    dice = random.Random(size)  # noqa: S311 (the same text every time)
    lines, length = [], 0
    while length < size:
        lines.append("x" * dice.randint(0, LONGEST))
        length += len(lines[-1]) + 1
    text = framed("\n".join(lines))

    parts = list(slices(text))

    assert "".join(parts) == text
    assert all(part.startswith("\n") for part in parts)
    assert all(len(part) <= SLICE + LONGEST + 1 for part in parts)


def test_a_line_is_in_one_part_however_long_it_is() -> None:
    """A line longer than any part makes a part of its own length."""
    text = framed("\n".join(["short", "x" * 3 * SLICE, "short"]))

    assert any("x" * 3 * SLICE in part for part in slices(text))


def test_1994_f2_framed_lines_have_one_end() -> None:
    """Where CR alone ends one, all are ended by NL."""
    assert framed("a\rb\r\nc\n\rd") == framed("a\nb\nc\n\nd")


def test_a_last_line_without_an_end_is_in_the_last_part() -> None:
    """However long it is."""
    text = "\nshort\n" + "x" * 3 * SLICE

    assert "".join(slices(text)) == text
    assert list(slices(text))[-1].endswith("x" * 3 * SLICE)
