"""Measure time against size of hostile pages: `python -m tools.bench.pages`.

A row is a page, or a value of `X-Robots-Tag` where its name says so; its numbers are
nanoseconds of CPU per byte to read its directives, for 1 KB to 4 MB, and the milliseconds
of the slowest size. It exits with 1 if a page takes longer than 25 ms, or if a byte of the
longest costs 6 times as much as a byte of a page of 4 KB, or more.
"""

from __future__ import annotations

import sys
from time import process_time_ns
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse, XmlResponse

from scrapy_robots1994 import page_directives

if TYPE_CHECKING:
    from collections.abc import Callable

WORST = 6.0
MAX_STALL_MS = 25.0
TIMES = 3
SIZES = tuple(2**exponent for exponent in range(10, 23, 2))

ROBOTS = "<meta name=robots content="


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    """Return a function from a size to a page of about that size."""
    return lambda size: (before + unit * (size // len(unit)) + after).encode()


def numbered(unit: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    """Return a function from a size to a page of numbered pieces, of about that size."""
    return lambda size: (
        before + "".join(map(unit.format, range(size // (len(unit) + 4)))) + after
    ).encode()


PAGES: dict[str, Callable[[int], bytes]] = {
    "spaces in a name": repeated(" ", "<meta name="),
    "spaces after a quote": repeated(" ", ROBOTS + "'none' a = '"),
    "spaces in a value": repeated(" ", ROBOTS + "'", "none'>"),
    "spaces in short names": repeated("<meta name=   "),
    "double quotes": repeated('"', "<meta name="),
    "quotes in quotes": repeated("<a b=\"' "),
    "unclosed quotes": repeated("<a b='"),
    "equals signs": repeated("=", "<a b"),
    "equals signs in tags": repeated("<a ="),
    "open tags": repeated("<"),
    "short tags": repeated("<a>"),
    "unclosed tags": repeated("<meta "),
    "nested tags": repeated("<b>", "", "</i>"),
    "end tags": repeated("</p>"),
    "end tags, unmatched": repeated("</i>", "<b>" * 500),
    "prefixes": repeated("<x:meta"),
    "tags with a robot's name": repeated(ROBOTS + "x>"),
    "tags that forbid": repeated(ROBOTS + "none>"),
    "attributes": repeated(" a=b", "<meta", ">"),
    "attributes, numbered": numbered(" a{}", "<meta", ">"),
    "attributes, unclosed": numbered(" a{}", "<meta"),
    "slashes": repeated("/", "<meta"),
    "comments": repeated("<!-- -->"),
    "comments, unclosed": repeated("<!--"),
    "hyphens": repeated("-", "<!--"),
    "declarations": repeated("<!"),
    "processing instructions": repeated("<?"),
    "CDATA": repeated("<![CDATA["),
    "scripts": repeated("<script></script>"),
    "scripts, unclosed": repeated("<script>"),
    "ends of a script": repeated("</script", "<script>"),
    "commas": repeated(",", ROBOTS + "'", "'>"),
    "terms": repeated("noindex x,", ROBOTS + "'", "'>"),
    "terms, numbered": numbered("no{},", ROBOTS + "'", "'>"),
    "terms, not understood": numbered("none {},", ROBOTS + "'", "'>"),
    "keywords": repeated("a,", "<meta name=keywords content='", "'>"),
    "keywords, spaces": repeated(" a", "<meta name=keywords content='", "'>"),
    "an address": repeated("a", "<meta name=url content='", "'>"),
    "addresses": repeated("<meta name=url content=a+>"),
    "entities": repeated("&amp;", ROBOTS + "'", "'>"),
    "entities, unknown": repeated("&" + "a" * 32, ROBOTS + "'", "'>"),
    "entities, unclosed": repeated("&", ROBOTS + "'", "'>"),
    "digits": repeated("9", ROBOTS + "'&#", "'>"),
    "hexadecimal digits": repeated("9", ROBOTS + "'&#x", "'>"),
    "not UTF-8": lambda size: b"\xff" * size,
    "UTF-7": repeated("+AAA-", "<meta charset=utf-7>"),
    "Punycode": repeated("9a", "<meta charset=punycode>-"),
    "ISO 8859-11": lambda size: b"<meta charset=iso-8859-11>" + b"\xff" * size,
    "charsets": repeated("<meta charset=x "),
    "text": repeated("a "),
    "header, commas": repeated(","),
    "header, spaces": repeated(" "),
    "header, colons": repeated(":"),
    "header, names": numbered("a{}: none,"),
    "header, terms": repeated("noindex x,"),
    "header, terms, numbered": numbered("none {},"),
    "header, a name": repeated("a", "", ": none"),
    "header, dots": repeated(".", "a", " : none"),
    "header, dates": repeated("unavailable_after: 25 Jun 2010 15:00:00 GMT,"),
}


def milliseconds(name: str, body: bytes) -> float:
    """Return the CPU time to read the directives, the minimum of several times."""
    least = float("inf")
    for _ in range(TIMES):
        kind = XmlResponse if name == "CDATA" else HtmlResponse
        page, header = (b"", body) if name.startswith("header") else (body, b"")
        response = kind(
            "http://h.example/", body=page, headers={"X-Robots-Tag": header}
        )
        start = process_time_ns()
        page_directives(response, "rover")
        least = min(least, process_time_ns() - start)
    return least / 1_000_000


def main() -> int:
    """Print the table; return the exit code."""
    failures = 0
    sizes = "".join(f"{size // 1024:>8,}K" for size in SIZES)
    sys.stdout.write(f"{'ns of CPU per byte':32}{sizes}  slowest\n")
    for name, made in PAGES.items():
        times = [milliseconds(name, made(size)) for size in SIZES]
        costs = [1e6 * time / size for time, size in zip(times, SIZES, strict=True)]
        is_bad = costs[-1] >= WORST * costs[1] or max(times) > MAX_STALL_MS
        failures += is_bad
        row = "".join(f"{each:9,.1f}" for each in costs)
        verdict = "  TOO LONG" if is_bad else ""
        sys.stdout.write(f"{name:32}{row}{max(times):6.1f} ms{verdict}\n")
        sys.stdout.flush()
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
