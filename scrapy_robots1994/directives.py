"""Robots directives of a page, from its meta tags and its `X-Robots-Tag` headers."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from scrapy_robots1994.parser.said import Said

EVERY_ROBOT = frozenset({"robots", "*"})
"""The names that address every robot."""

# Pages P1 (terms of a robots tag): `TERMS` contains all terms about indexing and links.
# `NOINDEX` contains the terms that disallow indexing. `NOFOLLOW` contains the terms that
# disallow following links.
ALL = "all"
NOINDEX = frozenset({"noindex", "none"})
NOFOLLOW = frozenset({"nofollow", "none"})
TERMS = frozenset({ALL, "index", "follow"}) | NOINDEX | NOFOLLOW

# NOAI and NOIMAGEAI state usage preferences. NOAI and NOIMAGEAI do not change whether a
# page may be indexed or whether its links may be followed.
NOAI = "noai"
NOIMAGEAI = "noimageai"
USAGE_TERMS = frozenset({NOAI, NOIMAGEAI})

STATIC = "static"
DYNAMIC = "dynamic"

_HEADER = "header X-Robots-Tag"

# `_VALUED` contains terms that take a value after a colon. In a header, a word before a
# colon is not the name of a robot if the word is in `_VALUED`.
_VALUED = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
_NAME = re.compile(r"[a-z*_][\w.+-]*")
_WORD = re.compile(r"[a-z]+")
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_SPACE = " \t\n\r\f"


@dataclass(frozen=True, slots=True)
class Directives:
    """The robots directives of one page for one robot.

    *noindex* is the term that disallows indexing the page, or None if no term disallows
    indexing. *nofollow* is the term that disallows following the links of the page, or None
    if no term disallows following links.

    Only *noindex* and *nofollow* have an effect on the crawl. *keywords* contains the
    phrases in META KEYWORDS. *description* is the text of META DESCRIPTION.
    *document_state* is `"dynamic"` or `"static"`. *url* is the URL that the page states
    as its own address, in case a mirror serves the page. *not_understood* contains values
    that include a term but are not themselves terms, such as `noindex nofollow` without a
    comma.
    """

    noindex: Said | None = None
    nofollow: Said | None = None
    keywords: tuple[str, ...] = ()
    description: str | None = None
    document_state: str = STATIC
    url: str | None = None
    not_understood: tuple[Said, ...] = ()

    @property
    def index(self) -> bool:
        """Whether the page may be indexed."""
        return self.noindex is None

    @property
    def follow(self) -> bool:
        """Whether the links of the page may be followed."""
        return self.nofollow is None


NO_DIRECTIVES = Directives()
"""Pages P2 (default): a page without directives may be indexed, and its links may be
followed.
"""


def directives_of(
    tags: Sequence[tuple[str, str]], headers: Iterable[str], names: Collection[str]
) -> Directives:
    """Return the directives of a page for a robot with these *names*. Never raises.

    *tags* are the names and contents of the meta tags of the page. *headers* are the values
    of the X-Robots-Tag headers of the page. *names* must be in lower case.
    """
    addressed = terms_for(tags, headers, names)
    said = [it for it in addressed if contains_term(it.term, TERMS)]
    described = [(_plain(name), " ".join(content.split())) for name, content in tags]

    def contents(wanted: str) -> list[str]:
        return [text for name, text in described if text and name == wanted]

    states = map(str.lower, contents("document-state"))
    phrases = ",".join(contents("keywords")).split(",")
    # Pages P4 (contradictions): if two terms contradict each other, in one group or in two
    # groups, the more restrictive term counts. The description of the robots meta tag lets
    # the robot act "at its own discretion (in this case FOLLOW)". In this package, NOFOLLOW
    # counts, because an author who writes NOFOLLOW probably does not want robots to follow
    # the links. Pages P10 (NOINDEX and links): NOINDEX alone does not disallow following
    # links.
    return Directives(
        noindex=next((it for it in said if it.term in NOINDEX), None),
        nofollow=next((it for it in said if it.term in NOFOLLOW), None),
        keywords=tuple(filter(None, map(str.strip, phrases))),
        description=next(iter(contents("description")), None),
        document_state=DYNAMIC if DYNAMIC in states else STATIC,
        url=next(filter(_ABSOLUTE.fullmatch, contents("url")), None),
        not_understood=tuple(it for it in said if it.term not in TERMS),
    )


def terms_for(
    tags: Iterable[tuple[str, str]], headers: Iterable[str], names: Collection[str]
) -> list[Said]:
    """Return all terms, known or unknown, that address a robot with these *names*.

    `directives_of` describes the parameters. The terms in one meta tag form a group, and
    the terms in the headers for one robot name form a group. A term is returned once for
    each group that contains it. The terms of a group that contains ALL are left out.
    """
    ours = EVERY_ROBOT.union(names)
    groups = (*_groups_of_tags(tags, ours), *_groups_of_headers(headers, ours))
    # Pages P3 (ALL): ALL overrides only the other terms of its own group.
    return [
        Said(term, where)
        for where, terms in groups
        if ALL not in terms
        for term in dict.fromkeys(terms)
    ]


def _groups_of_tags(
    tags: Iterable[tuple[str, str]], ours: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """For each meta tag that addresses the robot, yield a phrase that identifies the tag,
    and its terms.
    """
    for name, content in tags:
        # Pages P5 (named tags): a tag whose name is the name of a robot is only for that
        # robot. The case of the name of a robot does not matter.
        if _plain(name) in ours:
            where = f"meta tag {_plain(name)}"
            # Pages P1 (terms of a robots tag): commas separate the terms, and the case of
            # a term does not matter.
            yield where, [_plain(term) for term in content.split(",")]


def _groups_of_headers(
    headers: Iterable[str], ours: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """For each group of terms in the X-Robots-Tag headers, yield a phrase that identifies
    the header, and the terms.

    A group contains the terms for one robot name, or the terms before the first robot name.
    A group that does not address the robot is left out.

    Several lines of one header are equivalent to one line with the values joined by commas
    (RFC 9110, section 5.3).
    """
    groups: dict[str, list[str]] = {}
    group = ""
    for part in filter(str.strip, ",".join(headers).split(",")):
        text, colon, term = map(_plain, part.partition(":"))
        # 1994 A2 (name comparison): a version is not part of the name of a robot.
        name = text.partition("/")[0]
        if not colon:
            term = text
        elif name in _VALUED or not (
            name in ours
            or (name and term in TERMS | USAGE_TERMS)
            or _NAME.fullmatch(name)
        ):
            # The text before the colon is not the name of a robot, but part of a date or
            # of a term with a value.
            continue
        else:
            # Pages P6 (named headers): the terms after a name and a colon are only for the
            # robot with that name. The next name of a robot ends the terms for that robot.
            group = name
        if not group or group in ours:
            groups.setdefault(group, []).append(term)
    for terms in groups.values():
        yield _HEADER, terms


def contains_term(term: str, known: frozenset[str]) -> bool:
    """Return whether *known* contains one of the words of *term*."""
    return not known.isdisjoint(_WORD.findall(term))


def _plain(text: str) -> str:
    """Return *text* in lower case, without the white space around it."""
    return text.strip(_SPACE).lower()


# `_HTML` and `_XML` match one piece of a page, such as a tag or a comment. A piece begins
# with `<` and ends where the HTML tokenizer ends it. If the end of a piece is missing,
# the piece extends to the end of the page. A match never fails after consuming text, so
# the matching time is linear in the length of the page. Common HTML parsers do not
# guarantee linear time. For attributes and end tags, libxml2 before 2.14 takes quadratic
# time. For quotes and comments, `html.parser` takes quadratic time.
_SPACES = r"[ \t\n\r\f]*"
_VALUE = r"""(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^> \t\n\r\f]*)"""
_ATTRIBUTES = rf"[^=>]*(?:={_SPACES}{_VALUE}[^=>]*)*"
_NAME_ENDS = r"(?=[ \t\n\r\f/>])"
_COMMENT = r"!--(?:-?>|.*?(?:--!?>|\Z))"
_CDATA = r"!\[CDATA\[.*?(?:\]\]>|\Z)"
_OTHER = r"[!?/][^>]*"
# `_TEXT` matches elements whose content is only text. An element whose tag ends with
# `/>` has no content, for example `<script src="x" />` in XHTML that is sent as HTML.
_TEXT = (
    r"(script|style|textarea|title|xmp|iframe|noembed|noframes)"
    rf"{_NAME_ENDS}{_ATTRIBUTES}(?:(?<=/)>|.*?(?:(?=</\1{_NAME_ENDS})|\Z))"
)
_TAG = (
    rf"(?:(?:[a-z][^:> \t\n\r\f/]*:)?meta{_NAME_ENDS}(?P<meta>{_ATTRIBUTES})(?P<end>>?)"
    rf"|[a-z]{_ATTRIBUTES})"
)
_FLAGS = re.ASCII | re.DOTALL | re.IGNORECASE
_HTML = re.compile(f"<(?:{_COMMENT}|{_OTHER}|{_TEXT}|{_TAG})", _FLAGS)
_XML = re.compile(f"<(?:{_COMMENT}|{_CDATA}|{_OTHER}|{_TAG})", _FLAGS)
_ATTRIBUTE = re.compile(
    rf"([^=> \t\n\r\f/][^=> \t\n\r\f/]*)(?:{_SPACES}={_SPACES}({_VALUE}))?"
)


def meta_tags(page: str, *, is_xml: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each meta tag of *page*. Never raises.

    Tags in comments, scripts and other text are ignored. A tag is also ignored if its name,
    its content or its `>` is missing. The running time is linear in the length of *page*.
    """
    # Pages P8 (tags in the body): a meta tag in the body also counts. An author might
    # have put a meta tag into the body by mistake. Most bodies contain no meta tag, so
    # stop after the last "meta". The lower-case text is never shorter than *page*, so the
    # loop never stops too early.
    last = page.lower().rfind("meta")
    for piece in (_XML if is_xml else _HTML).finditer(page):
        if piece.start() > last:
            return
        if piece["end"]:
            found: dict[str, str] = {}
            for name, value in _ATTRIBUTE.findall(piece["meta"]):
                found.setdefault(name.lower(), value)
            name, content = (_text(found.get(key, "")) for key in ("name", "content"))
            if name and content:
                yield name, content


def _text(value: str) -> str:
    """Unquote the *value* of an attribute, and decode its character references."""
    if value[:1] in {'"', "'"}:
        value = value[1:-1]
    try:
        return unescape(value)
    except ValueError:
        # Do not decode a value with a character reference of more than 4,300 digits,
        # which Python refuses to convert.
        return value
