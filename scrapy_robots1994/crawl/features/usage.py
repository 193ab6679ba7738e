"""Usage preferences in a crawl (`ROBOTS1994_USAGE`): the statements of robots.txt and of
a page about the use of the page.

The spider gets the preferences of each page, and the crawl counts them in the stats. If
`ROBOTS1994_USAGE` is "items" or "requests", the crawl obeys the preferences.
"""

import re
from collections.abc import Iterator
from functools import partial
from logging import DEBUG, INFO

from cachetools import LRUCache
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, IgnoreRequest, NotConfigured
from scrapy.http import Response

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.page import (
    PageHead,
    PageMiddleware,
    header_of,
    page_head,
)
from scrapy_robots1994.crawl.log import count, counted, log_line, total
from scrapy_robots1994.crawl.observers import Found
from scrapy_robots1994.crawl.requests import STATED_USAGE, RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.directives import NOAI, USAGE_TERMS, contains_term, terms_for
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.said import Said
from scrapy_robots1994.parser.usage import (
    MAX_NOT_UNDERSTOOD,
    NO_USAGE,
    PURPOSES,
    TDM,
    USAGE_FIELD,
    Answer,
    Statement,
    Usage,
    http_sf,
    statements_of,
)
from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.parser.verdict import Verdict
from scrapy_robots1994.policy.answer import Answer as FetchedAnswer
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy

USAGE_KEY = "robots1994_usage"
"""The key in `response.meta` for the `Usage` of the page."""

# Remember up to `_MAX_LOGGED_ORIGINS` origins whose statements were logged. The statements
# of a remembered origin are not logged again.
_MAX_LOGGED_ORIGINS = 10_000

_UNKNOWN = Usage()

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


class _ByUsage(Exception):  # noqa: N818 - the base class of two exceptions
    """An exception for the page at *url*, which must not be used for the purpose of
    *statement*. The message is safe to print.
    """

    def __init__(self, statement: Statement, url: str) -> None:
        self.statement = statement
        term = escape_control_chars(statement.term, 60)
        where = escape_control_chars(statement.where, 80)
        said = f'Not for {statement.purpose}: "{term}" in {where}'
        super().__init__(f"{said} of {redact_and_escape(url)}")


class DroppedByUsage(_ByUsage, DropItem):
    """The reason for dropping an item whose page must not be used for a purpose of the
    crawl.

    *statement* is the statement that disallows the purpose.
    """


class RefusedByUsage(_ByUsage, IgnoreRequest):
    """Raised for a request that robots.txt allows, if the page must not be used for a
    purpose of the crawl.

    *statement* is the statement that disallows the purpose.
    """


def stated_by(policy: Policy, url: str, robot: str | bytes) -> Usage:
    """Return the preferences that the robots.txt of *policy* states about the use of
    *url* by *robot*.
    """
    if policy.robots is not None:
        return policy.robots.usage(url, robot)
    # A missing robots.txt does not state any preference. If the robots.txt could not be
    # fetched, its preferences are not known.
    return NO_USAGE if policy.outcome is Outcome.ABSENT else _UNKNOWN


class StatedUsage:
    """Looks up the usage preferences in robots.txt for each request that robots.txt allows.

    If `ROBOTS1994_USAGE` is "requests", `decide` refuses each request whose page must not
    be used for a purpose of the crawl.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        http_sf("ROBOTS1994_USAGE")
        self._crawler = crawler
        self._purposes = settings.request_purposes
        self._robot = RobotName(crawler)
        self._logged: LRUCache[Origin, bool] = LRUCache(_MAX_LOGGED_ORIGINS)

    def fetched(self, policy: Policy, answer: FetchedAnswer) -> None:
        """Do nothing: preferences are read for each request."""

    def decided(
        self, request: Request, origin: Origin, found: Found, verdict: Verdict | None
    ) -> None:
        """Call `decide` if a policy allows *request*."""
        if isinstance(found, Policy) and verdict is not None and verdict.allowed:
            self.decide(request, origin, found)

    def decide(self, request: Request, origin: Origin, policy: Policy) -> None:
        """Store in the meta of *request* the preferences that *policy* states.

        Raise `RefusedByUsage` if the preferences disallow a purpose for which the crawl
        refuses requests.
        """
        usage = stated_by(policy, request.url, self._robot.of(request)).for_export()
        # Store the preferences now, before the page is fetched. According to
        # draft-ietf-aipref-attach-05, the robots.txt at the time of the fetch applies to
        # the page.
        request.meta[STATED_USAGE] = usage
        if usage.statements and origin not in self._logged:
            self._logged[origin] = True
            said = "; ".join(map(str, usage.statements))
            text = "Usage preferences of %s: %s"
            log_line(self._crawler, DEBUG, text, origin.robots_url, said)
        forbidden = usage.forbids(self._purposes)
        if forbidden is not None:
            purpose = forbidden.purpose
            count(self._crawler, stats.USAGE_REQUESTS_DROPPED, purpose=purpose)
            refused = RefusedByUsage(forbidden, request.url)
            log_line(self._crawler, DEBUG, "%s; the URL is not requested", str(refused))
            raise refused


class RobotsUsage(PageMiddleware):
    """Passes the usage preferences of each page to the spider, and counts them. Drops the
    items of a page that must not be used for a purpose of the crawl, unless
    `ROBOTS1994_USAGE` is "report".

    Before the spider gets a response, `response.meta["robots1994_usage"]` is set to the
    `Usage` of the page. The `Usage` contains the preferences that robots.txt, the headers
    and the meta tags state.
    """

    key = USAGE_KEY

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = self._settings
        if not settings.reads_usage:
            raise NotConfigured("ROBOTS1994_USAGE is False")
        http_sf("ROBOTS1994_USAGE")
        self._purposes = settings.purposes
        self._drops_items = settings.drops_items
        self._pages = 0
        crawler.signals.connect(self._closed, signals.spider_closed)

    def read(self, response: Response, robot: str | bytes) -> Usage:
        """Return the preferences that robots.txt and *response* state for *robot*."""
        usage = page_usage(response, robot)
        # Remove the preferences of robots.txt from the meta, because a spider can create
        # a request for a different page with this meta.
        stated = response.meta.pop(STATED_USAGE, None)
        if isinstance(stated, Usage):
            usage = stated.with_(usage)
        return usage.for_export()

    def count(self, stated: Usage) -> None:
        """Count the answers about the purposes of the crawl, or about all purposes if the
        crawl has no purpose.
        """
        self._pages += 1
        for purpose in self._purposes or PURPOSES:
            answer = stated[purpose]
            if answer is not Answer.UNSTATED:
                key = stats.USAGE_PAGES
                count(self.crawler, key, purpose=purpose, answer=answer.value)
        if stated.not_understood:
            number = len(stated.not_understood)
            count(self.crawler, stats.USAGE_NOT_UNDERSTOOD, number)

    def _closed(self) -> None:
        """Log, for each purpose, how many items were dropped and how many requests were
        not sent. If the crawl only reports preferences, log how many pages must not be
        used for the purpose.
        """
        found = partial(total, self.crawler)
        for purpose in self._purposes or PURPOSES:
            pages = found(stats.USAGE_PAGES, purpose=purpose, answer="disallow")
            items = found(stats.USAGE_ITEMS_DROPPED, purpose=purpose)
            requests = found(stats.USAGE_REQUESTS_DROPPED, purpose=purpose)
            if items or requests:
                log_line(
                    self.crawler,
                    INFO,
                    "Usage preferences: pages must not be used for %s, so %s dropped and "
                    '%s not sent; LOG_LEVEL = "DEBUG" names each page',
                    purpose,
                    _were(items, "item"),
                    _were(requests, "request"),
                )
            elif pages and not self._drops_items:
                text = "%d of %d pages are not for %s"
                log_line(self.crawler, INFO, text, pages, self._pages, purpose)

    def reason_to_drop(self, response: Response) -> DropItem | None:
        """Return the reason to drop an item of *response*, and count the item. Return
        `None` if no statement disallows a purpose of the crawl.
        """
        said = self.stated(response).forbids(self._purposes)
        if said is None or not self._drops_items:
            return None
        count(self.crawler, stats.USAGE_ITEMS_DROPPED, purpose=said.purpose)
        return DroppedByUsage(said, response.url)


def _were(number: int, noun: str) -> str:
    """Return *number*, *noun* and the verb, such as "2 items were"."""
    return f"{counted(number, noun)} {'was' if number == 1 else 'were'}"


def page_usage(response: Response, robot: str | bytes) -> Usage:
    """Return the usage preferences that *response* states for *robot*, which is a bare name
    or a whole User-Agent header.

    This function reads the headers of any response, and the meta tags of HTML, XHTML and
    other XML pages. At most 64 KiB of each header and of the page are read. An invalid
    body does not cause an exception.
    """
    head = page_head(response, _WORDS)
    found = [
        *_content_usage(header_of(response, "Content-Usage")),
        *_terms(response, head, robot_names(robot)),
        *_tdm_reservation(head, header_of(response, _TDM_RESERVATION)),
    ]
    statements = tuple(it for it in found if isinstance(it, Statement))
    odd = tuple(it for it in found if isinstance(it, Said))
    # A TDMRep policy applies only together with a reservation.
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
    """Yield the preferences in *value*, and its parts that are not understood. *value*
    contains the joined lines of the header `Content-Usage`.
    """
    where = f"header {USAGE_FIELD}"
    try:
        # RFC 9651, section 4.2: if one line cannot be parsed, the whole dictionary is
        # invalid.
        statements, said, _ = statements_of(USAGE_FIELD, value, where)
    except ValueError:
        yield Said(value, where)
    else:
        yield from statements
        yield from said


def _terms(
    response: Response, head: PageHead, names: tuple[str, ...]
) -> Iterator[Statement | Said]:
    """Yield a preference for each `noai` in *head* and, if *response* is an image, for
    each `noimageai`. Yield each term that contains `noai` or `noimageai` but is not
    understood. *head* is the head of *response*, and *names* are the names of the robot.
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
    """Yield the values of TDMRep that are not understood, and then the preference of the
    page. A preference in the meta tags of *head* overrides a preference in *header*.
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
