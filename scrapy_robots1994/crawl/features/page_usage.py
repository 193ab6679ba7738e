"""Usage preferences that a page states in its headers and meta tags."""

import re
from collections.abc import Iterator

from scrapy.http import Response

from scrapy_robots1994.crawl.features.page_head import PageHead, header_of, page_head
from scrapy_robots1994.directives import (
    NOAI,
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
"""The sources of preferences in a page, in the spelling that `Usage.read` uses."""

# In TDMRep, a value other than 1 or 0 does not state a preference.
_TDM_ANSWERS = {"1": Answer.DISALLOW, "0": Answer.ALLOW}
_RESERVED = TDM, Answer.DISALLOW
_TDM_RESERVATION, _TDM_POLICY = "tdm-reservation", "tdm-policy"

# A meta tag that contains none of `_WORDS` does not state a preference.
_WORDS = (*(term.encode() for term in sorted(USAGE_TERMS)), b"tdm-")
_LINK = re.compile(r'<([^<>]*)>((?:[^,"<]|"[^"]*")*)')
_PARAMETER = re.compile(r';\s*([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))', re.IGNORECASE)
_RSL = "application/rsl+xml"


def page_usage(response: Response, robot: str | bytes) -> Usage:
    """Return the usage preferences that *response* states for *robot*, which is a bare name
    or a whole User-Agent header.

    The headers of any response are read. The meta tags of HTML, XHTML and other XML pages
    are also read. At most 64 KiB of each header and of the page are read. An invalid body
    does not cause an exception.
    """
    head = page_head(response, _WORDS)
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
    """Yield the preferences in *value*, and the parts of *value* that are not understood.
    *value* contains the joined lines of the header `Content-Usage`.
    """
    where = f"header {USAGE_FIELD}"
    try:
        # RFC 9651, section 4.2: if one line cannot be parsed, the whole dictionary is
        # invalid.
        statements, said, _ = statements_of(USAGE_FIELD, value, where)
    except NotADictionaryError:
        yield Said(value, where)
    else:
        yield from statements
        yield from said


def _terms(
    response: Response, head: PageHead, names: tuple[str, ...]
) -> Iterator[Statement | Said]:
    """Yield a preference for each `noai` or `noimageai` in *head*. Also yield each
    similar term that is not understood. *head* is the head of *response*, and *names*
    are the names of the robot.
    """
    is_image = header_of(response, "Content-Type").lower().startswith("image/")
    for said in terms_for(head.tags, [head.header], names):
        if said.term not in USAGE_TERMS:
            if contains_term(said.term, USAGE_TERMS):
                yield said
        # Usage U12 (images): `noai` applies to any response, and `noimageai` applies only
        # to an image.
        elif said.term == NOAI or is_image:
            yield Statement("train-ai", Answer.DISALLOW, said.term, said.where)


def _tdm_reservation(head: PageHead, header: str) -> Iterator[Statement | Said]:
    """Yield the values of TDMRep that are not understood. Then yield the preference in the
    meta tags of *head*, or the preference in *header* if no meta tag states a preference.
    """
    name = _TDM_RESERVATION
    values = filter(None, map(str.strip, header.split(",")))
    in_header = [Said(it, f"header {name}") for it in values]
    in_meta = [Said(it, f"meta tag {name}") for it in _contents(head, name)]
    yield from (it for it in (*in_header, *in_meta) if it.term not in _TDM_ANSWERS)
    # Usage U11 (TDMRep): meta tags override the header, even if the header is more
    # restrictive. If one place has several values, the most restrictive value applies. The
    # most restrictive value is "1".
    for places in (in_meta, in_header):
        stated = [it for it in places if it.term in _TDM_ANSWERS]
        if stated:
            said = max(stated, key=lambda it: it.term)
            answer, term = _TDM_ANSWERS[said.term], f"{name}: {said.term}"
            yield Statement(TDM, answer, term, said.where)
            return


def _contents(head: PageHead, name: str) -> list[str]:
    """Return the content of each meta tag whose name is *name*. Skip a meta tag whose
    content is blank.
    """
    said = (text.strip() for tag, text in head.tags if tag.strip().lower() == name)
    return list(filter(None, said))


def _licenses(link: str) -> Iterator[str]:
    """Yield the URL of each RSL licence in *link*, the value of a `Link` header."""
    for url, rest in _LINK.findall(link):
        values = {
            name.lower(): (a or b).lower() for name, a, b in _PARAMETER.findall(rest)
        }
        is_license = "license" in values.get("rel", "").split()
        if url and is_license and values.get("type") == _RSL:
            yield url
