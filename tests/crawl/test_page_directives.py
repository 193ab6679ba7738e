"""`page_directives`: HTML in any encoding, headers, and hostile pages."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time_ns

import pytest
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse

from scrapy_robots1994 import page_directives

URL = "http://h.example/"
TAG = '<meta name="robots" content="noindex, nofollow">'
XHTML = (
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>'
    '<meta name="robots" content="noindex"/></head><body/></html>'
)


def found_in(response: Response) -> tuple[bool, bool]:
    directives = page_directives(response, "rover")
    return directives.index, directives.follow


def page(body: str | bytes, kind: type[Response] = HtmlResponse) -> tuple[bool, bool]:
    raw = body.encode() if isinstance(body, str) else body
    return found_in(kind(URL, body=raw))


@pytest.mark.parametrize(
    "body",
    [
        TAG,
        "<META\n  NAME='ROBOTS'\n  CONTENT='NoIndex,NoFollow'\n/>",
        f"<title>x{TAG}</title></p></div>{TAG}<p",
        f"<!doctype html><noscript>{TAG}</noscript>",
        f"\0\0<html><!--->{TAG}",
        '<meta name="robots" content="noindex"><meta name="ROVER" content="nofollow">',
        '<meta name="robots" content="none" content="all">',
        "<meta name=robots content=none>",
        '<meta {{ page.id }} name="robots" content="none">',
        '<meta content="&#110;one" name="&#x72;obots">',
        f"<!--><!-- a --!>{TAG}<!-- --!>",
        f"<script src='x' />{TAG}</script>",
        f"<!--[if !IE]><!-->{TAG}<!--<![endif]-->",
        f"<!doctype html [ '\"' >{TAG}",
        f"<metadata><meta>{TAG}",
        f"< meta <3 &{TAG}",
        '<base href="http://other.example/"><meta/name="robots"/content="none"/>',
    ],
)
def test_pages_p8_tag_is_found_anywhere(body: str) -> None:
    assert page(body) == (False, False)


@pytest.mark.parametrize(
    "body",
    [
        "",
        f"<!-- {TAG} -->",
        f"<script>{TAG}</script>",
        *(
            f"<{name}>{TAG}</{name.upper()}>"
            for name in ("textarea", "xmp", "iframe", "noembed", "noframes")
        ),
        '<meta name="robots" content="index"><p>none',
        '<meta property="robots" content="noindex">',
        '<meta name="robots" content="noindex"',
        f"<!-- {TAG}",
        f"<style><!-- </stylex {TAG}",
        f"<title>{TAG}",
        f"<a href='{TAG}'>",
        f"<!doctype {TAG[:-1]}",
        f"<?x {TAG}",
        '<metadata name="robots" content="noindex">',
        '<meta name="robots" content="index" content="noindex">',
        '<meta name="&#9999;" content="&#' + "9" * 5000 + '; noindex">',
    ],
)
def test_pages_other_tags_and_text_are_ignored(body: str) -> None:
    assert page(body) == (True, True)


def test_pages_xhtml_is_read_as_html_and_as_xml() -> None:
    """A tag in a `script` element counts in XML, but a tag in a CDATA section does not."""
    assert page(XHTML) == page(XHTML, XmlResponse) == (False, True)
    tag = '<x:meta name="robots" content="none"/>'
    assert page(f"<script>{tag}</script>", XmlResponse) == (False, False)
    assert page(f"<p><![CDATA[ ]> {tag} ]]></p>", XmlResponse) == (True, True)
    assert page(f"<p><![CDATA[ ]]>{tag}</p>", XmlResponse) == (False, False)


@pytest.mark.parametrize("kind", [Response, TextResponse])
def test_pages_only_the_header_of_other_content_is_read(kind: type[Response]) -> None:
    headers = {"X-Robots-Tag": ["noindex", "index"]}
    response = kind(URL, body=TAG.encode(), headers=headers)

    assert page(TAG, kind) == (True, True)
    assert found_in(response) == (False, True)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "cp1251", "gbk"])
def test_pages_in_any_encoding(encoding: str) -> None:
    """In some encodings, an ASCII character takes several bytes."""
    charset = encoding.removesuffix("-sig")
    kind = {"Content-Type": f"text/html; charset={charset}"}
    for headers, declared in (kind, ""), ({}, f'<meta charset="{charset}">'):
        text = f'<html>{declared}<meta name="description" content="Робот">{TAG}</html>'
        response = HtmlResponse(URL, body=text.encode(encoding), headers=headers)
        assert found_in(response) == (False, False)
        assert page_directives(response, "rover").description == "Робот"


@pytest.mark.parametrize("kind", [HtmlResponse, XmlResponse])
def test_pages_that_scrapy_cannot_parse_are_read(kind: type[Response]) -> None:
    charsets = ("zip", "idna", "hex", "undefined", "punycode")
    starts = [f'<meta charset="{name}">' for name in charsets]
    starts += ['<meta charset="zip"><base href="http://[">']
    starts += ['<base href="http://[domain]/">', '<meta charset="utf-7">+2AA-']
    for start in starts:
        assert page(f"<html>{start}{TAG}</html>", kind) == (False, False), start
        assert page(f"<html>{start}{TAG}</html>".encode("utf-16")) == (False, False)


SMALL = 4 * 1024
TIMES = 15
"""The size of a large page, divided by the size of a small one."""


def repeated(unit: str, before: str = "") -> Callable[[int], str]:
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
HEADERS = [",", " ", "a:", "noindex x,", "unavailable_after: "]
WORK = [(HOSTILE[name], True, end) for end in ("", "'>", ">") for name in HOSTILE]
WORK += [(repeated(unit), False, "") for unit in HEADERS]


def cost(text: str, *, is_page: bool) -> int:
    """Read the directives five times. Return the shortest CPU time, in nanoseconds."""
    costs = []
    for _ in range(5):
        body, header = (text.encode(), b"") if is_page else (b"", text.encode())
        response = HtmlResponse(URL, body=body, headers={"X-Robots-Tag": header})
        start = process_time_ns()
        page_directives(response, "rover")
        costs.append(process_time_ns() - start)
    return min(costs)


@pytest.mark.parametrize(("text", "is_page", "end"), WORK, ids=range(len(WORK)))
def test_pages_time_grows_no_faster_than_the_page_or_header(
    text: Callable[[int], str], is_page: bool, end: str
) -> None:
    """Quadratic work would take 225 times as long."""
    small, large = (text(SMALL * by) + end for by in (1, TIMES))

    assert cost(large, is_page=is_page) < 4 * TIMES * cost(small, is_page=is_page)
