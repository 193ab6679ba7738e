"""Tests of `page_directives`, which reads HTML tags in any encoding, and response headers.

The time to read the directives of a hostile page must not grow faster than the size of the
page.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time_ns

import pytest
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse

from scrapy_robots1994 import page_directives
from tests.support.left_out import table

URL = "http://h.example/"
TAG = '<meta name="robots" content="noindex, nofollow">'
XHTML = (
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>'
    '<meta name="robots" content="noindex"/></head><body/></html>'
)


def found_in(response: Response) -> tuple[bool, bool]:
    """Return whether *response* may be indexed and followed."""
    directives = page_directives(response, "rover")
    return directives.index, directives.follow


def page(body: str | bytes, kind: type[Response] = HtmlResponse) -> tuple[bool, bool]:
    """Return whether a page with *body* may be indexed and followed."""
    raw = body.encode() if isinstance(body, str) else body
    return found_in(kind(URL, body=raw))


@pytest.mark.parametrize(
    "body",
    [
        f"<html><head>{TAG}</head><body></body></html>",
        f"<html><head>{TAG.upper()}",
        TAG,
        "<META content=NONE name=Robots>",
        "<meta\n  name='robots'\n  content='NoIndex,NoFollow'\n/>",
        f"<title>x{TAG}</title></p></div>{TAG}<p",
        f"<html><body><table><tr><p>{TAG}</body></html>",
        f"<!doctype html><noscript>{TAG}</noscript>",
        f"\0\0<html>{TAG}",
        '<meta name="robots" content="noindex"><meta name="ROVER" content="nofollow">',
        '<meta name="robots" content="none" content="all">',
        '<meta {{ page.id }} name="robots" content="none">',
        "<meta name=robots content=none >",
        '<meta content="&#110;one" name="&#x72;obots">',
        f"<!-- a --><!-->{TAG}<!-- --!>",
        f"<!--[if !IE]><!-->{TAG}<!--<![endif]-->",
        f"<!doctype html [ '\"' >{TAG}",
        f"<script>'<meta '</script >{TAG}",
        f'<script src="x" />{TAG}',
        f"<title>a</title/>{TAG}",
        f"<p don't>{TAG}<p \">",
        f"<a href='>'title=\">\">{TAG}",
        f"<metadata><meta>{TAG}",
        f"< meta <3 &{TAG}",
        f'<p a=b="c>{TAG}',
        '<base href="http://other.example/"><meta/name="robots"/content="none"/>',
    ],
)
def test_pages_p8_tag_is_found_anywhere(body: str) -> None:
    """A robots meta tag is found in upper case, in invalid HTML, in the body, and among
    several tags.
    """
    assert page(body) == (False, False)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>",
        f"<!-- {TAG} -->",
        f"<script>{TAG}</script>",
        f"<textarea>{TAG}</textarea>",
        f"<p>{TAG.replace('<', '&lt;')}",
        '<meta name="robots"><p>noindex',
        '<meta content="noindex"><p>robots',
        '<meta name="robots" content="index"><p>none',
        '<meta name="googlebot" content="noindex"><p>robots',
        '<meta property="robots" content="noindex">',
        '<meta name="robots" content="noindex"',
        '<meta name="robots" content="noindex>',
        f"<!-- {TAG}",
        f"<!-- > {TAG} -- >",
        f"<STYLE>{TAG}</style>",
        f"<style><!-- </stylex {TAG}",
        f"<title>{TAG}",
        f"<a href='{TAG}'>",
        f"<a href = '{TAG}'>",
        f"<!doctype {TAG[:-1]}",
        f"<?php {TAG[:-1]} ?>",
        f"</p {TAG}",
        '<metadata name="robots" content="noindex">',
        '<meta name="robots" content="index" content="noindex">',
        '<meta name="&#9999;" content="&#' + "9" * 5000 + '; noindex">',
    ],
)
def test_pages_other_tags_and_text_are_ignored(body: str) -> None:
    """Comments, scripts, text, tags for other robots and incomplete tags have no effect."""
    assert page(body) == (True, True)


def test_pages_xhtml_is_read_as_html_and_as_xml() -> None:
    """A robots meta tag in XHTML is found, whether the page is parsed as HTML or as XML.

    In XML, a tag in a `script` element has an effect, but a tag in a CDATA section has no
    effect.
    """
    assert page(XHTML) == (False, True)
    assert page(XHTML, XmlResponse) == (False, True)
    assert page(XHTML.replace("noindex", "index"), XmlResponse) == (True, True)
    tag = '<x:meta name="robots" content="none"/>'
    assert page(f"<script>{tag}</script>", XmlResponse) == (False, False)
    assert page(f"<p><![CDATA[ > {tag} ]]></p>", XmlResponse) == (True, True)
    assert page(f"<p><![CDATA[ ]]>{tag}</p>", XmlResponse) == (False, False)


@pytest.mark.parametrize("kind", [Response, TextResponse])
def test_pages_only_the_header_of_other_content_is_read(kind: type[Response]) -> None:
    """In content other than HTML and XML, a meta tag has no effect, and only the header
    X-Robots-Tag is read.
    """
    response = kind(
        URL, body=TAG.encode(), headers={"X-Robots-Tag": ["noindex", "index"]}
    )

    assert page(TAG, kind) == (True, True)
    assert found_in(response) == (False, True)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1251", "gbk", "shift_jis"]
)
def test_pages_in_any_encoding(encoding: str) -> None:
    """The robots meta tag is found in any encoding, even if an ASCII character takes
    several bytes.
    """
    body = f"<html><head><title>Робот</title>{TAG}</head></html>".encode(encoding)
    kind = {"Content-Type": f"text/html; charset={encoding.removesuffix('-sig')}"}

    response = HtmlResponse(URL, body=body, headers=kind)

    assert found_in(response) == (False, False)


@pytest.mark.parametrize("kind", [HtmlResponse, XmlResponse])
@pytest.mark.parametrize(
    "start",
    [
        *(
            f'<meta charset="{name}">'
            for name in ("zip", "idna", "hex", "undefined", "punycode")
        ),
        '<base href="http://[domain]/">',
        '<meta charset="zip"><base href="http://[">',
        '<meta charset="utf-7">+2AA-',
    ],
)
def test_pages_that_scrapy_cannot_parse_are_read(
    start: str, kind: type[Response]
) -> None:
    """The robots meta tag is found even if the page has an unusable charset or an invalid
    base URL.
    """
    assert page(f"<html>{start}{TAG}</html>", kind) == (False, False)
    assert page(f"<html>{start}{TAG}</html>".encode("utf-16")) == (False, False)


def test_pages_p7_tag_in_the_first_64_kib_is_read() -> None:
    """A meta tag in the first 64 KiB of a page is read. A tag that ends after the first 64
    KiB has no effect.
    """
    before = 64 * 1024 - len(TAG)

    assert page("x" * before + TAG) == (False, False)
    assert page("x" * (before + 1) + TAG) == (True, True)


SMALL = 4 * 1024
TIMES = 15
"""The size of the large pages, as a multiple of the size of the small pages. The large
pages are still read completely, but pages that are longer than the large pages are
truncated.
"""


def repeated(unit: str, before: str = "") -> Callable[[int], str]:
    """Return a function that returns a text of a given size: *before*, followed by copies
    of *unit*.
    """
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
    # Python decodes Punycode in quadratic time.
    "Punycode": repeated("9a", "<meta charset=punycode>-"),
}


def cost(body: bytes, header: bytes = b"") -> int:
    """Return the CPU time to read the directives in nanoseconds, as the minimum of five
    runs.
    """
    costs = []
    for _ in range(5):
        response = HtmlResponse(URL, body=body, headers={"X-Robots-Tag": header})
        start = process_time_ns()
        page_directives(response, "rover")
        costs.append(process_time_ns() - start)
    return min(costs)


@table("end", "", "'>", ">")
@pytest.mark.parametrize("name", HOSTILE)
def test_pages_time_grows_no_faster_than_the_page(name: str, end: str) -> None:
    """If one hostile page is fifteen times as large as another hostile page, reading
    the larger page takes less than sixty times as long as reading the smaller page.

    An algorithm with quadratic time would take 225 times as long.
    """
    small, large = (HOSTILE[name](SMALL * by) + end for by in (1, TIMES))

    assert cost(large.encode()) < 4 * TIMES * cost(small.encode())


@pytest.mark.parametrize("unit", [",", " ", "a:", "noindex x,", "unavailable_after: "])
def test_pages_time_grows_no_faster_than_the_header(unit: str) -> None:
    """If one X-Robots-Tag header is fifteen times as long as another X-Robots-Tag
    header, reading the longer header takes less than sixty times as long as reading the
    shorter header.

    The header X-Robots-Tag can have any length that the HTTP client accepts.
    """
    small, large = (repeated(unit)(SMALL * by).encode() for by in (1, TIMES))

    assert cost(b"", large) < 4 * TIMES * cost(b"", small)
