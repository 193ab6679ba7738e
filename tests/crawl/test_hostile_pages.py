"""Hostile pages: the time to read their directives grows with their size, no faster."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time_ns

import pytest
from scrapy.http import HtmlResponse

from scrapy_robots1994 import page_directives
from tests.support.left_out import long_after

SMALL = 4 * 1024
TIMES = 15
"""Pages read completely; longer ones are cut."""


def repeated(unit: str, before: str = "") -> Callable[[int], str]:
    """Return a function from a size to a text of that size."""
    return lambda size: before + unit * (size // len(unit))


HOSTILE = {
    "spaces before a value": repeated(" ", "<meta name="),
    "spaces after a quote": repeated(" ", "<meta name='robots' content='none' a = '"),
    "spaces after a name": repeated(" ", "<meta name"),
    "names": repeated("<meta name=\n"),
    "unclosed tags": repeated("<meta name="),
    "unclosed quotes": repeated("<a b='"),
    "mixed quotes": repeated("<meta a=\"' "),
    "equals signs": repeated("=", "<meta a"),
    "attributes": repeated(" a=b", "<meta"),
    "comments": repeated("<!--"),
    "hyphens": repeated("-", "<!--"),
    "declarations": repeated("<!"),
    "CDATA": repeated("<![CDATA["),
    "scripts": repeated("<script>"),
    "ends of scripts": repeated("</script", "<script>"),
    "entities": repeated("&", "<meta name=robots content='none"),
    "digits": repeated("9", "<meta name=robots content='&#"),
    "terms": repeated("noindex x,", "<meta name=robots content='"),
    "commas": repeated(",", "<meta name=robots content='"),
}


def cost(body: bytes, header: bytes = b"") -> int:
    """Return the nanoseconds of CPU to read the directives, the minimum of several."""
    costs = []
    for _ in range(5):
        response = HtmlResponse(
            "http://h.example/", body=body, headers={"X-Robots-Tag": header}
        )
        start = process_time_ns()
        page_directives(response, "rover")
        costs.append(process_time_ns() - start)
    return min(costs)


@pytest.mark.parametrize("end", long_after(1, ["", "'>", ">"]))
@pytest.mark.parametrize("name", HOSTILE)
def test_pages_time_grows_no_faster_than_the_page(name: str, end: str) -> None:
    """Fifteen times the page takes less than sixty times as long; squared, it is 225."""
    small, large = (HOSTILE[name](SMALL * by) + end for by in (1, TIMES))

    assert cost(large.encode()) < 4 * TIMES * cost(small.encode())


@pytest.mark.parametrize("unit", [",", " ", "a:", "noindex x,", "unavailable_after: "])
def test_pages_time_grows_no_faster_than_the_header(unit: str) -> None:
    """X-Robots-Tag, of any length that a client accepts."""
    small, large = (repeated(unit)(SMALL * by).encode() for by in (1, TIMES))

    assert cost(b"", large) < 4 * TIMES * cost(b"", small)


def test_pages_charset_with_a_slow_decoder_is_not_used() -> None:
    """Python decodes Punycode in quadratic time."""
    head = b"<meta charset=punycode>-"
    small, large = (head + b"9a" * (SMALL * by // 2) for by in (1, TIMES))

    assert cost(large) < 4 * TIMES * cost(small)
