"""The header `X-Robots-Tag` and the meta tags of a page. The header and the meta tags may
state page directives and usage preferences.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
)

from scrapy_robots1994.directives import meta_tags

MAX_PAGE_BYTES = 64 * 1024
"""Maximum number of bytes that are read from the start of a page or of a header."""

# `UNREADABLE` contains the exceptions that an invalid page can cause. Python raises
# `LookupError` if the charset of the page is not a text encoding (for example `zip`).
# Scrapy raises `ValueError` if the base URL of the page is invalid (for example
# `<base href="http://[">`).
UNREADABLE = (LookupError, ValueError)

# A page that contains one of `_OTHER_SPELLINGS` may use UTF-16, UTF-7 or character
# references. In such a page, a search for the ASCII letters of a word may miss the
# word.
_OTHER_SPELLINGS = b"\0", b"utf-7", b"&#"

# A page that states an encoding in `_SLOW` is decoded as UTF-8. Python takes quadratic time
# to decode `idna` and `punycode`, which are meant for host names, not for pages.
_SLOW = frozenset({"idna", "punycode"})


class PageHead(NamedTuple):
    """The header and the meta tags of a page.

    *header* contains all lines of `X-Robots-Tag`, joined into one line. *tags* contains the
    name and the content of each meta tag. *has_tags* is `True` if the page is HTML or XML,
    because only such a page can have meta tags.
    """

    header: str
    tags: tuple[tuple[str, str], ...]
    has_tags: bool


def page_head(response: Response, words: Sequence[bytes] = ()) -> PageHead:
    """Return the head of *response*. An invalid body does not cause an exception.

    At most `MAX_PAGE_BYTES` of the page and of the header are read. *words* are the words
    that the caller looks for, in lower case. If the page contains none of *words*, the tags
    may be missing from the returned head. If *words* is empty, all tags are returned.
    """
    header = header_of(response, "X-Robots-Tag")
    if not isinstance(response, (HtmlResponse, XmlResponse)):
        return PageHead(header, (), has_tags=False)
    # Parse the tags only if necessary, because parsing takes as long as all other work that
    # Scrapy does for a page.
    page = response.body[:MAX_PAGE_BYTES].lower()
    if words and not any(it in page for it in (*words, *_OTHER_SPELLINGS)):
        return PageHead(header, (), has_tags=True)
    tags = meta_tags(_text(response), is_xml=isinstance(response, XmlResponse))
    return PageHead(header, tuple(tags), has_tags=True)


def header_of(response: Response, name: str) -> str:
    """Return all lines of the header *name*, joined into one line. Return an empty string
    if *response* does not have the header.
    """
    # Several lines mean the same as one joined line (RFC 9110, section 5.3). A header does
    # not state its encoding, so decode the line as Latin-1, which accepts any bytes.
    lines = b", ".join(response.headers.getlist(name))
    return lines[:MAX_PAGE_BYTES].decode("latin-1")


def _text(response: TextResponse) -> str:
    """Return the first `MAX_PAGE_BYTES` of *response* as text."""
    head = response.body[:MAX_PAGE_BYTES]
    # Do not use `response.encoding`, which decodes the whole page. If the page does not
    # state an encoding, `response.encoding` may take any amount of time to guess the
    # encoding.
    encoding = (
        read_bom(head)[0]
        or http_content_type_encoding(header_of(response, "Content-Type"))
        or html_body_declared_encoding(head)
    )
    if encoding is None or encoding in _SLOW:
        encoding = "utf-8"
    try:
        return head.decode(encoding, "replace")
    except UNREADABLE:
        return head.decode("utf-8", "replace")
