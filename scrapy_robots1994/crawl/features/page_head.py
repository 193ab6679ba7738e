"""The robots header (`X-Robots-Tag`) and the meta tags of a page. Page directives and usage
preferences are read from this header and these tags.
"""

import re
from collections.abc import Sequence
from html import unescape
from typing import NamedTuple
from weakref import ref

from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
)

from scrapy_robots1994.directives import meta_tags

MAX_PAGE_BYTES = 64 * 1024
"""Number of bytes that are read from the start of a page, and of a header."""

# Python raises these exceptions for a charset that cannot decode text, such as `zip`.
# Scrapy raises them for a page with `<base href="http://[">`, because Scrapy reads the base
# URL of each page that it parses.
UNREADABLE = (LookupError, ValueError)

# A meta tag, whose quoted values may contain `>`. The pattern has nothing after the
# repetition, so matching never backtracks and takes linear time.
_META = re.compile(rb"""meta(?:[^>"']+|"[^"]*"?|'[^']*'?)*""")

# Encodings of host names, which no page uses. Python needs quadratic time to decode these
# encodings.
_SLOW = frozenset({"idna", "punycode"})


class PageHead(NamedTuple):
    """The lines of `X-Robots-Tag` joined into one, and the name and content of each meta
    tag.

    *has_tags* says that the page is HTML or XML, and may have meta tags.
    """

    header: str
    tags: tuple[tuple[str, str], ...]
    has_tags: bool


# A cache of one page, because two features read each page, one after the other.
_last: tuple["ref[Response] | None", PageHead] = None, PageHead("", (), has_tags=False)


def page_head(response: Response, words: Sequence[bytes] = ()) -> PageHead:
    """Return the head of *response*. Never raises on any body.

    At most `MAX_PAGE_BYTES` of the page and of the header are read. *words* are in lower
    case. If *words* are given and no meta tag has one of the words, the result may have no
    tags.
    """
    global _last  # noqa: PLW0603 - a cache of one
    known, head = _last
    if known is not None and known() is response:
        return head
    header, has_tags = header_of(response, b"X-Robots-Tag"), False
    if not isinstance(response, (HtmlResponse, XmlResponse)):
        return PageHead(header, (), has_tags)
    has_tags = True
    # Avoid parsing the tags, which takes as long as all other work of Scrapy on a page.
    if words and not _may_have(response.body[:MAX_PAGE_BYTES].lower(), words):
        return PageHead(header, (), has_tags)
    tags = meta_tags(_text(response), is_xml=isinstance(response, XmlResponse))
    head = PageHead(header, tuple(tags), has_tags)
    _last = ref(response), head
    return head


def _may_have(page: bytes, words: Sequence[bytes]) -> bool:
    """Return whether a meta tag of *page*, in lower case, may have one of *words*."""
    # A null byte means an encoding such as UTF-16, which has other bytes for letters.
    if b"\0" in page:
        return True
    tags, place = b"", page.find(b"meta")
    while place >= 0:
        tag = _META.match(page, place)
        assert tag is not None  # noqa: S101 - it begins with "meta"
        tags, place = tags + tag[0], page.find(b"meta", tag.end())
    if b"&#" in tags:
        try:
            text = unescape(tags.decode("latin-1")).lower()
        except ValueError:
            # Python does not convert a character number of more than 4,300 digits.
            return True
        tags = text.encode("ascii", "replace")
    # UTF-7 may hide a word.
    return bool(tags) and any(word in tags for word in (*words, b"utf-7"))


def header_of(response: Response, name: bytes) -> str:
    """Return all lines of the header called *name* as one; empty if there is none. *name* is
    spelled like the keys of `Headers`.
    """
    # Fast path: unlike `Headers.getlist`, the view does not change the spelling.
    if name not in response.headers.keys():  # noqa: SIM118 - the view is faster
        return ""
    # Several lines mean the same as one joined line (RFC 9110, section 5.3). A header
    # states no encoding, and Latin-1 decodes any bytes.
    lines = b", ".join(response.headers.getlist(name))
    return lines[:MAX_PAGE_BYTES].decode("latin-1")


def _text(response: TextResponse) -> str:
    """Return the start of *response*, decoded."""
    head = response.body[:MAX_PAGE_BYTES]
    content_type = response.headers.get("Content-Type") or b""
    # Do not use `response.encoding`, which decodes the whole page. If the page states no
    # encoding, guessing the encoding has no time limit.
    encoding = (
        read_bom(head)[0]
        or http_content_type_encoding(content_type.decode("latin-1"))
        or html_body_declared_encoding(head)
    )
    if encoding is None or encoding in _SLOW:
        encoding = "utf-8"
    try:
        return head.decode(encoding, "replace")
    except UNREADABLE:
        return head.decode("utf-8", "replace")
