"""What a page states about its use: its headers and its meta tags."""

import re
from collections.abc import Iterator
from dataclasses import replace

from scrapy.http import Response

from scrapy_robots1994.crawl.features.page_head import PageHead, header_of, page_head
from scrapy_robots1994.directives import (
    NOAI,
    NOIMAGEAI,
    USAGE_TERMS,
    contains_term,
    terms_for,
)
from scrapy_robots1994.parser.said import Said
from scrapy_robots1994.parser.structured import NotADictionaryError
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

HEADER, META = "header", "meta"
"""Values of `Usage.read` for a page."""

_NOTHING = {read: Usage(read=read) for read in ((HEADER,), (HEADER, META))}

# Usage U12: `noai` is about the text of the page, `noimageai` about an image.
_FORBIDDEN_BY = {NOAI: "train-ai", NOIMAGEAI: "train-ai"}

# TDMRep: every other value means that nothing is stated.
_TDM_ANSWERS = {"1": Answer.DISALLOW, "0": Answer.ALLOW}
_TDM_RESERVATION, _TDM_POLICY = "tdm-reservation", "tdm-policy"

# A page without any of them states nothing in its meta tags.
_WORDS = (*(term.encode() for term in sorted(USAGE_TERMS)), b"tdm-")
# Header names, spelled like the keys of `Headers`.
_HEADERS = frozenset(
    (b"Content-Usage", b"Link", b"Tdm-Policy", b"Tdm-Reservation", b"X-Robots-Tag")
)

_MAX_HEADER = 16_384
"""Characters of Content-Usage that are read; a longer value is not understood."""

_LINK = re.compile(r'<([^<>]*)>((?:[^,"<]|"[^"]*")*)')
_PARAMETER = re.compile(r';\s*([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))', re.IGNORECASE)
_RSL = "application/rsl+xml"


def page_usage(response: Response, robot: str | bytes) -> Usage:
    """Return the preferences about its use that *response* states to *robot*, a bare name
    or a whole User-Agent header.

    The headers of any response are read, and the meta tags of HTML and XHTML, each up to 64 KiB.
    Never raises on any body.
    """
    head = page_head(response, _WORDS)
    read = (HEADER, META) if head.has_tags else (HEADER,)
    # Most pages state nothing.
    if not head.tags and _HEADERS.isdisjoint(response.headers):
        return _NOTHING[read]
    is_image = header_of(response, "Content-Type").lower().startswith("image/")
    found = _of_content_usage(header_of(response, USAGE_FIELD))
    found = found.with_(_of_terms(head, robot_names(robot), is_image=is_image))
    found = found.with_(_of_tdm(response, head))
    licenses = dict.fromkeys(_licenses(header_of(response, "Link")))
    found = found.with_(Usage(licenses=tuple(licenses), read=read))
    return replace(found, not_understood=found.not_understood[:MAX_NOT_UNDERSTOOD])


def _of_content_usage(value: str) -> Usage:
    """Return the preferences in *value*, all lines of the header Content-Usage joined."""
    where = f"header {USAGE_FIELD}"
    if len(value) > _MAX_HEADER:
        return Usage(not_understood=(Said(value, where),))
    try:
        # RFC 9651, section 4.2: one line that cannot be parsed makes the whole dictionary
        # invalid.
        statements, said, _ = statements_of(USAGE_FIELD, value, where)
    except NotADictionaryError:
        return Usage(not_understood=(Said(value, where),))
    return Usage(statements, not_understood=said)


def _of_terms(head: PageHead, names: tuple[str, ...], *, is_image: bool) -> Usage:
    """Return the preferences that `noai` and `noimageai` state, in the header and in meta
    tags.
    """
    statements: list[Statement] = []
    odd: list[Said] = []
    for said in terms_for(head.tags, [head.header], names):
        purpose = _FORBIDDEN_BY.get(said.term)
        if purpose is None:
            odd += [said] * contains_term(said.term, USAGE_TERMS)
        elif said.term != NOIMAGEAI or is_image:
            answer = Answer.DISALLOW
            statements.append(Statement(purpose, answer, said.term, said.where))
    return Usage(tuple(statements), not_understood=tuple(odd))


def _of_tdm(response: Response, head: PageHead) -> Usage:
    """Return the preferences that TDMRep states, in the meta tag, or else in the header."""
    header = header_of(response, _TDM_RESERVATION)
    values = [it for it in map(str.strip, header.split(",")) if it]
    where = f"header {_TDM_RESERVATION}"
    in_header = [Said(it, where) for it in values[:MAX_NOT_UNDERSTOOD]]
    in_meta = [
        Said(content.strip(), f"meta tag {_TDM_RESERVATION}")
        for name, content in head.tags
        if name.strip().lower() == _TDM_RESERVATION
    ]
    said = [it for it in (*in_header, *in_meta) if it.term]
    odd = tuple(it for it in said if it.term not in _TDM_ANSWERS)
    # Usage U11: the page overrides its header, even if the header is more restrictive.
    for places in (in_meta, in_header):
        answers = {it.term: it for it in places if it.term in _TDM_ANSWERS}
        for value, answer in _TDM_ANSWERS.items():
            if value in answers:
                it = answers[value]
                statement = Statement(
                    TDM, answer, f"{_TDM_RESERVATION}: {value}", it.where
                )
                is_reserved = answer is Answer.DISALLOW
                policy = _tdm_policy(response, head) if is_reserved else None
                return Usage((statement,), tdm_policy=policy, not_understood=odd)
    return Usage(not_understood=odd)


def _tdm_policy(response: Response, head: PageHead) -> str | None:
    """Return the URL of the TDM policy, from the meta tag, or else from the header."""
    named = (
        content for name, content in head.tags if name.strip().lower() == _TDM_POLICY
    )
    values = (*named, header_of(response, _TDM_POLICY))
    return next(filter(None, map(str.strip, values)), None)


def _licenses(link: str) -> Iterator[str]:
    """Yield the URLs of licence terms (RSL) that a *link* header names."""
    for url, rest in _LINK.findall(link):
        values = {
            name.lower(): (a or b).lower() for name, a, b in _PARAMETER.findall(rest)
        }
        is_license = "license" in values.get("rel", "").split()
        if url and is_license and values.get("type") == _RSL:
            yield url
