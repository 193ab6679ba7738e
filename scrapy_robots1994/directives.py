"""The robots directives of a page, from its meta tags and `X-Robots-Tag` headers."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from scrapy_robots1994.parser.said import Said

EVERY_ROBOT = frozenset({"robots", "*"})

# Pages P1
ALL = "all"
NOINDEX = frozenset({"noindex", "none"})
NOFOLLOW = frozenset({"nofollow", "none"})
TERMS = frozenset({ALL, "index", "follow"}) | NOINDEX | NOFOLLOW

# Usage preferences, which do not affect indexing or links
NOAI = "noai"
NOIMAGEAI = "noimageai"
USAGE_TERMS = frozenset({NOAI, NOIMAGEAI})

STATIC = "static"
DYNAMIC = "dynamic"

_HEADER = "header X-Robots-Tag"

# Terms with a value after a colon. In a header, such a term looks like the name of a robot.
_VALUED = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
_NAME = re.compile(r"[a-z*_][\w.+-]*")
_WORD = re.compile(r"[a-z]+")
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_SPACE = " \t\n\r\f"


@dataclass(frozen=True, slots=True)
class Directives:
    """The robots directives of one page for one robot. By default, the page may be indexed and its
    links followed (Pages P2).

    *noindex* is the term that forbids indexing the page, and *nofollow* the term that forbids
    following its links; each may be None. Only *noindex* and *nofollow* affect a crawl.
    *keywords*, *description* and *url* come from the meta tags with these names; *url* is absolute.
    *document_state* is "dynamic" or "static". *not_understood* lists malformed values that contain
    a term, such as `noindex nofollow` without a comma.
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


def directives_of(
    tags: Sequence[tuple[str, str]], headers: Iterable[str], names: Collection[str]
) -> Directives:
    """Return the directives of a page for a robot with these *names*. Never raises.

    *tags* are the names and contents of the page's meta tags, and *headers* the values of its
    X-Robots-Tag headers. *names* must be in lower case.
    """
    addressed = terms_for(tags, headers, names)
    said = [it for it in addressed if contains_term(it.term, TERMS)]
    described = [(_plain(name), " ".join(content.split())) for name, content in tags]

    def contents(wanted: str) -> list[str]:
        return [text for name, text in described if text and name == wanted]

    states = map(str.lower, contents("document-state"))
    phrases = ",".join(contents("keywords")).split(",")
    # Pages P4, P10
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
    """Return all terms, known or not, for a robot with these *names*.

    All terms of one meta tag form a group, and so do all terms that the headers address to one
    name. A group that contains ALL is skipped. From any other group, each term is returned once.
    """
    ours = EVERY_ROBOT.union(names)
    groups = (*_groups_of_tags(tags, ours), *_groups_of_headers(headers, ours))
    # Pages P3
    return [
        Said(term, where)
        for where, terms in groups
        if ALL not in terms
        for term in dict.fromkeys(terms)
    ]


def _groups_of_tags(
    tags: Iterable[tuple[str, str]], ours: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    for name, content in tags:
        # Pages P5
        if _plain(name) in ours:
            where = f"meta tag {_plain(name)}"
            # Pages P1
            yield where, [_plain(term) for term in content.split(",")]


def _groups_of_headers(
    headers: Iterable[str], ours: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    # One group for each robot name, and one for the terms before the first name
    groups: dict[str, list[str]] = {}
    group = ""
    # RFC 9110 5.3: repeated headers are equivalent to one with their values joined.
    for part in filter(str.strip, ",".join(headers).split(",")):
        text, colon, term = map(_plain, part.partition(":"))
        # 1994 A2
        name = text.partition("/")[0]
        if not colon:
            term = text
        elif name in _VALUED or not (
            name in ours
            or (name and term in TERMS | USAGE_TERMS)
            or _NAME.fullmatch(name)
        ):
            # Part of a date, or a term with a value
            continue
        else:
            # Pages P6
            group = name
        if not group or group in ours:
            groups.setdefault(group, []).append(term)
    for terms in groups.values():
        yield _HEADER, terms


def contains_term(term: str, known: frozenset[str]) -> bool:
    return not known.isdisjoint(_WORD.findall(term))


def _plain(text: str) -> str:
    return text.strip(_SPACE).lower()


# `_HTML` and `_XML` match one piece of a page at a time, such as a tag or a comment, as an HTML
# tokenizer would. An unclosed piece extends to the end of the page, so matching takes linear time,
# unlike in `html.parser` and libxml2 before 2.14.
_SPACES = r"[ \t\n\r\f]*"
_VALUE = r"""(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^> \t\n\r\f]*)"""
_ATTRIBUTES = rf"[^=>]*(?:={_SPACES}{_VALUE}[^=>]*)*"
_NAME_ENDS = r"(?=[ \t\n\r\f/>])"
_COMMENT = r"!--(?:-?>|.*?(?:--!?>|\Z))"
_CDATA = r"!\[CDATA\[.*?(?:\]\]>|\Z)"
_OTHER = r"[!?/][^>]*"
# Elements that contain only text. In XHTML, they may be self-closing: `<script src="x" />`.
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


def meta_tags(page: str, *, is_xml: bool) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each meta tag of *page*, in linear time.

    Tags without a closing `>` are ignored, and so are tags in comments. In HTML, tags in scripts,
    styles and other elements that contain only text are ignored too. A missing name or content is
    yielded as "".
    """
    # Pages P8: tags in the body count too, so search up to the last "meta" of the page.
    last = page.lower().rfind("meta")
    for piece in (_XML if is_xml else _HTML).finditer(page):
        if piece.start() > last:
            return
        if piece["end"]:
            found: dict[str, str] = {}
            for name, value in _ATTRIBUTE.findall(piece["meta"]):
                found.setdefault(name.lower(), value)
            yield _text(found.get("name", "")), _text(found.get("content", ""))


def _text(value: str) -> str:
    if value[:1] in {'"', "'"}:
        value = value[1:-1]
    try:
        return unescape(value)
    except ValueError:
        # Python refuses character references of more than 4,300 digits.
        return value
