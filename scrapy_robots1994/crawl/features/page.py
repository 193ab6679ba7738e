"""Robots directives and usage preferences in the headers and meta tags of a response."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
)

from scrapy_robots1994.directives import (
    NOAI,
    USAGE_TERMS,
    Directives,
    contains_term,
    directives_of,
    meta_tags,
    terms_for,
)
from scrapy_robots1994.parser.said import Said
from scrapy_robots1994.parser.usage import (
    MAX_NOT_UNDERSTOOD,
    TDM,
    USAGE_FIELD,
    Answer,
    Statement,
    Usage,
    statements_of,
)
from scrapy_robots1994.parser.user_agent import robot_names

MAX_PAGE_BYTES = 64 * 1024
"""Only this many bytes of a page, and of each header, are searched."""

# The exceptions for a charset that is not a text encoding, such as `zip`, and for an invalid base
# URL
UNREADABLE = (LookupError, ValueError)

# The encoding of international host names. A page may declare it, and Python would then
# take quadratic time to decode the page.
_SLOW = "punycode"

HEADER, META = "header", "meta"
"""The places in a response that may state preferences, as spelt in `Usage.read`."""

_TDM_ANSWERS = {"1": Answer.DISALLOW, "0": Answer.ALLOW}
_RESERVED = TDM, Answer.DISALLOW
_TDM_RESERVATION, _TDM_POLICY = "tdm-reservation", "tdm-policy"

_LINK = re.compile(r'<([^<>]*)>((?:[^,"<]|"[^"]*")*)')
_PARAMETER = re.compile(r';\s*([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))', re.IGNORECASE)
_RSL = "application/rsl+xml"


class PageHead(NamedTuple):
    header: str
    """All lines of the header `X-Robots-Tag`, joined."""
    tags: tuple[tuple[str, str], ...]
    """The name and content of each meta tag."""
    has_tags: bool
    """Whether the page is HTML or XML."""


def page_head(response: Response) -> PageHead:
    """Read the head of *response*. Never raises."""
    header = header_of(response, "X-Robots-Tag")
    if not isinstance(response, (HtmlResponse, XmlResponse)):
        return PageHead(header, (), has_tags=False)
    tags = meta_tags(_text(response), is_xml=isinstance(response, XmlResponse))
    return PageHead(header, tuple(tags), has_tags=True)


def header_of(response: Response, name: str) -> str:
    """Return all lines of the header *name*, joined (RFC 9110 5.3)."""
    lines = b", ".join(response.headers.getlist(name))
    return lines[:MAX_PAGE_BYTES].decode("latin-1")


def _text(response: TextResponse) -> str:
    head = response.body[:MAX_PAGE_BYTES]
    # Not `response.encoding`: if no encoding is declared, it decodes the whole page to guess one.
    encoding = (
        read_bom(head)[0]
        or http_content_type_encoding(header_of(response, "Content-Type"))
        or html_body_declared_encoding(head)
    )
    if encoding in {None, _SLOW}:
        encoding = "utf-8"
    try:
        return head.decode(encoding, "replace")
    except UNREADABLE:
        return head.decode("utf-8", "replace")


def page_directives(response: Response, robot: str | bytes) -> Directives:
    """Return the robots directives of *response* for *robot*. Never raises.

    *robot* is a bare name or a whole User-Agent header. The directives come from the header
    `X-Robots-Tag` and from the meta tags of HTML and XML pages. Only the first 64 KiB of the header
    and of the page are read.
    """
    head = page_head(response)
    return directives_of(head.tags, [head.header], robot_names(robot))


def page_usage(response: Response, robot: str | bytes) -> Usage:
    """Return the usage preferences that *response* states for *robot*.

    *robot* is a bare name or a whole User-Agent header. The preferences come from headers and from
    the meta tags of HTML and XML pages. Only the first 64 KiB of each header and of the page are
    read. Raise `MissingExtra` if the extra `usage` is not installed, and no other exception.
    """
    head = page_head(response)
    found = [
        *_content_usage(header_of(response, "Content-Usage")),
        *_terms(response, head, robot_names(robot)),
        *_tdm_reservation(head, header_of(response, _TDM_RESERVATION)),
    ]
    statements = tuple(it for it in found if isinstance(it, Statement))
    odd = tuple(it for it in found if isinstance(it, Said))
    # In TDMRep, a policy applies only together with a reservation.
    is_reserved = any((it.purpose, it.answer) == _RESERVED for it in statements)
    in_header = header_of(response, _TDM_POLICY).strip()
    policy = (*_contents(head, _TDM_POLICY), in_header)
    return Usage(
        statements,
        licenses=tuple(dict.fromkeys(_licenses(header_of(response, "Link")))),
        tdm_policy=next(filter(None, policy), None) if is_reserved else None,
        not_understood=odd[:MAX_NOT_UNDERSTOOD],
        read=(HEADER, META) if head.has_tags else (HEADER,),
    )


def _content_usage(value: str) -> Iterator[Statement | Said]:
    where = f"header {USAGE_FIELD}"
    try:
        # RFC 9651 4.2: one invalid line makes the whole field invalid.
        statements, said, _ = statements_of(USAGE_FIELD, value, where)
    except ValueError:
        yield Said(value, where)
    else:
        yield from statements
        yield from said


def _terms(
    response: Response, head: PageHead, names: tuple[str, ...]
) -> Iterator[Statement | Said]:
    """Yield a preference for each `noai` and, if the response is an image, each `noimageai`. Also
    yield values that contain one of these words but are malformed.
    """
    is_image = header_of(response, "Content-Type").lower().startswith("image/")
    for said in terms_for(head.tags, [head.header], names):
        if said.term not in USAGE_TERMS:
            if contains_term(said.term, USAGE_TERMS):
                yield said
        # Usage U12
        elif said.term == NOAI or is_image:
            yield Statement("train-ai", Answer.DISALLOW, said.term, said.where)


def _tdm_reservation(head: PageHead, header: str) -> Iterator[Statement | Said]:
    """Yield the TDMRep values that are not understood, and then the preference, if any."""
    name = _TDM_RESERVATION
    values = filter(None, map(str.strip, header.split(",")))
    in_header = [Said(it, f"header {name}") for it in values]
    in_meta = [Said(it, f"meta tag {name}") for it in _contents(head, name)]
    yield from (it for it in (*in_header, *in_meta) if it.term not in _TDM_ANSWERS)
    # Usage U11: meta tags override the header. "1" overrides "0".
    for places in (in_meta, in_header):
        stated = [it for it in places if it.term in _TDM_ANSWERS]
        if stated:
            said = max(stated, key=lambda it: it.term)
            answer, term = _TDM_ANSWERS[said.term], f"{name}: {said.term}"
            yield Statement(TDM, answer, term, said.where)
            return


def _contents(head: PageHead, name: str) -> list[str]:
    said = (text.strip() for tag, text in head.tags if tag.strip().lower() == name)
    return list(filter(None, said))


def _licenses(link: str) -> Iterator[str]:
    """Yield the URLs of RSL licences in a `Link` header."""
    for url, rest in _LINK.findall(link):
        values = {
            name.lower(): (a or b).lower() for name, a, b in _PARAMETER.findall(rest)
        }
        is_license = "license" in values.get("rel", "").split()
        if url and is_license and values.get("type") == _RSL:
            yield url
