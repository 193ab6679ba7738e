"""Evidence: a record of each robots.txt answer, and a line for each decision.

`RecordedBackend` is the crawl as the resolver sees it, and records what it hears;
the middleware tells `Evidence.decided` each decision. Nothing else of the crawl knows of
them; the middleware removes the meta key `EVIDENCE`, which a request may bring from another.

Which record a policy was made from is looked up by its origin and the time of its fetch.
A policy without a record in this WARC comes from a store, from the HTTP cache or from a
downloader middleware: the first decision by it writes a record of its bytes.
"""

import time
from contextlib import suppress
from datetime import datetime, timezone
from hashlib import sha256
from http.client import responses
from logging import ERROR, INFO
from typing import Any, NamedTuple
from uuid import uuid4

import scrapy
from cachetools import LRUCache
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl.clients import CrawlClients
from scrapy_robots1994.crawl.exemptions import Exemption
from scrapy_robots1994.crawl.faults import one_line
from scrapy_robots1994.crawl.features.evidence_files import (
    Decision,
    EvidenceFiles,
    Record,
)
from scrapy_robots1994.crawl.features.evidence_format import (
    CLIENT,
    FETCHED,
    LEFT_OUT,
    MAX_TEXT,
    ORIGIN,
    SOURCE,
    STATUS,
    VIA_PROXY,
    digest_text,
    rfc3339,
    shown_url,
)
from scrapy_robots1994.crawl.fetch_observer import FetchObserver
from scrapy_robots1994.crawl.log import counted, log_line
from scrapy_robots1994.crawl.requests import EVIDENCE
from scrapy_robots1994.crawl.robot_name import RobotName, robot_text
from scrapy_robots1994.crawl.scrapy_private import EngineAccess
from scrapy_robots1994.crawl.settings import RobotsSettings, fill_in_path
from scrapy_robots1994.crawl.threads import run_in_thread, thread_safe_call
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser import Rules
from scrapy_robots1994.policy.fetch_result import (
    FetchError,
    FetchResult,
    LocalFault,
)
from scrapy_robots1994.policy.http_answer import HttpAnswer
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy

CLOSE_REASON = "robots_evidence_failed"

HTTP_CACHE = "the HTTP cache"
DRY_RUN = "an answer to Scrapy's own middleware"

MAX_POLICIES = 100_000
"""Policies whose record is known; the next decision by another one writes it again."""

_DESCRIPTION = (
    "Requests for robots.txt and their answers as Scrapy hands them over: headers as it "
    "has them, without those that may have credentials, whose names are in "
    f"{LEFT_OUT}; bodies without transfer coding, not unpacked. Nothing here proves when "
    "it was written."
)
_REVISIT = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


class Reference(NamedTuple):
    """The record of an answer.

    *original* is the record that has the bytes: another one where the answer was a 304.
    """

    record: str
    digest: str
    date: str
    url: str
    original: "Reference | None" = None


class Evidence(FetchObserver):
    """Records answers and decisions, and closes the crawl where it cannot."""

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        assert settings.evidence is not None  # noqa: S101 - the caller has looked
        self._crawler = crawler
        self._settings = settings
        self._robot = RobotName(crawler)
        self._clients = CrawlClients(crawler.settings)
        folder = fill_in_path("EVIDENCE", settings.evidence, crawler.spider)
        name = getattr(crawler.spider, "name", None) or "spider"
        started = datetime.now(tz=timezone.utc)
        software = f"scrapy_robots1994/{__version__} Scrapy/{scrapy.__version__}"
        self._files = EvidenceFiles(
            folder,
            f"{name}-{started:%Y-%m-%dT%H-%M-%S}",
            self._info(software, name),
            {
                "journal": software,
                "time": rfc3339(started),
                "spider": name,
                "dry_run": settings.dry_run,
            },
            self._failed,
        )
        # By origin and time of the fetch: the record of each policy.
        self._policies: LRUCache[tuple[Origin, float], Reference]
        self._policies = LRUCache(MAX_POLICIES)
        # The last record of the fetch in flight, or of the last one.
        self._last: LRUCache[Origin, Reference] = LRUCache(MAX_POLICIES)
        # The last good policy, by the origin of a fetch in flight.
        self._fetched_after: dict[Origin, Policy | None] = {}
        # Where policies come from that were not fetched: those of the resolver, and those
        # that pages are decided by without it.
        places = [HTTP_CACHE] * crawler.settings.getbool("HTTPCACHE_ENABLED")
        if settings.store.url is not None:
            places.insert(0, f"the store {redact_credentials(str(settings.store))}")
        self._stores = " or ".join(places)
        self._source = DRY_RUN if settings.dry_run else HTTP_CACHE
        self._has_failed = False
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._idle, signals.spider_idle)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def _info(self, software: str, name: str) -> dict[str, str]:
        """Return what the WARC says of itself: the crawl, and the settings that decide."""
        texts = {
            "software": software,
            "format": "WARC File Format 1.1",
            "isPartOf": name,
            "robot": robot_text(self._robot.usual),
            "description": _DESCRIPTION,
        }
        # With these settings and clients each decision can be made again.
        texts |= self._settings.recorded()
        texts |= {CLIENT + scheme: it for scheme, it in self._clients.names.items()}
        return {key: escape_control_chars(it, MAX_TEXT) for key, it in texts.items()}

    # What the resolver does.

    def sent(self, origin: Origin, last: Policy | None) -> None:
        """Note that an attempt begins, given the *last* good policy."""
        self._last.pop(origin, None)
        self._fetched_after[origin] = last

    def answered(
        self, origin: Origin, request: Request, response: Response, answer: HttpAnswer
    ) -> None:
        """Record the answer to one request for the robots.txt of *origin*."""
        base, last = None, self._fetched_after.get(origin)
        if answer.outcome is Outcome.RENEWED and last:
            base = self._reference_of(last, self._stores)
        cut = "" if answer.fault is None else "unspecified"
        truncated = "length" if answer.is_truncated else cut
        self._last[origin] = self._write_exchange(
            origin, request, response, truncated, base and (base.original or base)
        )

    def observed(self, origin: Origin, request: Request, response: Response) -> None:
        """Record the answer to a request that was not sent by us: it decides nothing."""
        self._write_exchange(origin, request, response)

    def ended(
        self, origin: Origin, result: FetchResult, answer: HttpAnswer | None
    ) -> None:
        """Record how an attempt ended, if no answer says it."""
        self._fetched_after.pop(origin, None)
        if answer is not None and answer.is_changed:
            # What a downloader middleware changed is not what was recorded.
            self._last.pop(origin, None)
        match result:
            case FetchError():
                kind, detail = result.kind, result.detail
            case LocalFault(error):
                kind, detail = type(error).__name__, one_line(error)
            case _:
                return
        about = self._last.get(origin)
        body = f"failure: {kind}\r\ndetail: {detail}\r\n"
        more = {"WARC-Concurrent-To": f"<{about.record}>"} if about else {}
        self._last[origin] = self._write("metadata", origin, body.encode(), more)

    def policy_fetched(self, policy: Policy, last: Policy | None) -> None:
        """Note which record *policy* was made from, given the *last* good one."""
        if policy.is_stale_on_error and last is not None:
            reference = self._reference_of(last, self._stores)
        else:
            # No answer of the network: a downloader middleware made or changed it.
            reference = self._last.get(policy.origin) or self._write_policy(
                policy, "a downloader middleware"
            )
        self._policies[policy.origin, policy.fetched_at] = reference

    def policy_loaded(self, policy: Policy) -> None:
        """Record a policy of the store, if the one of this crawl is another one."""
        self._reference_of(policy, self._stores)

    # What the middleware calls.

    def decided(
        self, request: Request, origin: Origin, found: Policy | Exception | Exemption
    ) -> None:
        """Write the line of one decision about *request*: by a policy, or why by none."""
        if isinstance(found, Exemption):
            self.write_decision(request, found.value)
            return
        if isinstance(found, Exception):
            # Of an aborted fetch nothing was recorded.
            aborted = isinstance(found, FetchAborted)
            reference = None if aborted else self._last.get(origin)
            why = f"{type(found).__name__}: {one_line(found)}"
            self.write_decision(request, why, reference)
            return
        reference = self._reference_of(found, self._source)
        request.meta[EVIDENCE] = reference.record
        rules = found.rules(self._robot.of(request))
        stale = found.is_stale_on_error or not found.is_fresh(time.time())
        self.write_decision(request, rules, reference, stale=stale)

    def write_decision(
        self,
        request: Request,
        decided: Rules | str,
        reference: Reference | None = None,
        *,
        stale: bool = False,
    ) -> None:
        """Write the line of *request*, *decided* by these rules, or why by none."""
        record, digest = reference[:2] if reference else (None, None)
        robot, settings = self._robot.of(request), self._settings
        origin = Origin.of(request.url)
        assert origin is not None  # noqa: S101 - no other request is checked
        clients = self._clients.of(request, origin)
        self._files.write(
            Decision(
                time.time(),
                request.method,
                request.url,
                robot,
                clients,
                decided,
                settings.dialect,
                settings.reading,
                record,
                digest,
                stale,
            ),
            len(request.url) + len(robot),
        )

    def _reference_of(self, policy: Policy, source: str) -> Reference:
        """Return the record of *policy*; if there is none, one from *source* is written."""
        key = policy.origin, policy.fetched_at
        reference = self._policies.get(key)
        if reference is None:
            reference = self._policies[key] = self._write_policy(policy, source)
        return reference

    # What is written.

    def _write_policy(self, policy: Policy, source: str) -> Reference:
        """Write a policy of which this WARC has no answer."""
        robots = policy.robots
        more = {
            "WARC-Target-URI": shown_url(policy.final_url or policy.origin.robots_url),
            "Content-Type": "text/plain",
            STATUS: str(policy.status or 0),
            FETCHED: rfc3339(policy.fetched_at),
            SOURCE: escape_control_chars(source, MAX_TEXT),
        }
        if robots is not None and robots.is_truncated:
            more["WARC-Truncated"] = "length"
        body = b"" if robots is None else robots.body
        return self._write("resource", policy.origin, body, more)

    def _write_exchange(
        self,
        origin: Origin,
        request: Request,
        response: Response,
        truncated: str = "",
        base: Reference | None = None,
    ) -> Reference:
        """Write *request* and *response*, which is a revisit if it confirms *base*.

        *truncated* says why the body is not whole, in the words of WARC.
        """
        url, date = shown_url(request.url), rfc3339(time.time())
        protocol = response.protocol or "HTTP/1.1"
        if not protocol.startswith("HTTP/"):
            protocol = "HTTP/2"
        sent, received = new_id(), new_id()
        named = {"WARC-Target-URI": url, "WARC-Date": date, ORIGIN: str(origin)}
        own = {"WARC-Record-ID": f"<{sent}>", "WARC-Concurrent-To": f"<{received}>"}
        line = f"{request.method} {target_of(url)} {protocol}"
        http = line, list(request.headers.items())
        self._files.write(Record("request", named | own, http=http))
        named |= {"WARC-Record-ID": f"<{received}>", "WARC-Concurrent-To": f"<{sent}>"}
        if request.meta.get("proxy"):
            named[VIA_PROXY] = "yes"
        # Through a proxy it is the address of the proxy.
        elif response.ip_address is not None:
            named["WARC-IP-Address"] = str(response.ip_address)
        if truncated:
            named["WARC-Truncated"] = truncated
        kind, body = "response", response.body
        digest = _digest_of(body)
        if base is not None:
            kind, body, digest = "revisit", b"", base.digest
            named |= {
                "WARC-Profile": _REVISIT,
                "WARC-Refers-To": f"<{base.record}>",
                "WARC-Refers-To-Target-URI": base.url,
                "WARC-Refers-To-Date": base.date,
            }
        named["WARC-Payload-Digest"] = digest
        line = f"{protocol} {response.status} {responses.get(response.status, '')}"
        http = line.rstrip(), list(response.headers.items())
        self._files.write(Record(kind, named, body, http), len(body))
        return Reference(received, digest, date, url, base)

    def _write(
        self, kind: str, origin: Origin, body: bytes, headers: dict[str, str]
    ) -> Reference:
        """Write a record without a message of HTTP."""
        reference = Reference(
            new_id(),
            _digest_of(body),
            rfc3339(time.time()),
            headers.get("WARC-Target-URI", origin.robots_url),
        )
        named = {
            "WARC-Record-ID": f"<{reference.record}>",
            "WARC-Target-URI": reference.url,
            "WARC-Date": reference.date,
            "WARC-Payload-Digest": reference.digest,
            ORIGIN: str(origin),
        }
        self._files.write(Record(kind, named | headers, body), len(body))
        return reference

    # The crawl.

    def _opened(self) -> None:
        """Begin to write."""
        self._call_in_crawl = thread_safe_call()
        self._files.start()

    def _failed(self) -> None:
        """Close the crawl, from whatever thread."""
        # A crawl that has ended has no event loop; `_closed` looks for the error, too.
        with suppress(RuntimeError):
            self._call_in_crawl(self._fail)

    def _fail(self) -> None:
        """Log that evidence is missing, and close the crawl."""
        self._log_error()
        if EngineAccess.of(self._crawler).is_closing():
            return
        # Scrapy 2.13 has only `close_spider`, which returns a Deferred.
        engine: Any = self._crawler.engine
        close = getattr(engine, "close_spider_async", None)
        if close is None:
            engine.close_spider(self._crawler.spider, CLOSE_REASON)
        else:
            deferred_from_coro(close(reason=CLOSE_REASON))

    def _log_error(self) -> bool:
        """Return whether evidence is missing; the first time, log why."""
        error = self._files.error
        if error is not None and not self._has_failed:
            self._has_failed = True
            warc, journal = self._files.paths
            log_line(
                self._crawler,
                ERROR,
                "The evidence in %s and %s cannot be written (%s): the crawl closes with "
                "the reason %s. Make room or choose another folder in "
                "ROBOTS1994_EVIDENCE, and start it again",
                str(warc),
                str(journal),
                one_line(error),
                CLOSE_REASON,
            )
        return error is not None

    def _idle(self) -> None:
        """Write all there is before the crawl ends: it may still get another reason."""
        self._files.flush()
        if self._log_error():
            raise CloseSpider(CLOSE_REASON)

    async def _closed(self) -> None:
        """Write the rest, and log what there is."""
        await run_in_thread(self._files.close)
        if self._log_error():
            return
        warc, journal = self._files.paths
        log_line(
            self._crawler,
            INFO,
            "The evidence was written to %s and %s: %s and %s",
            str(warc),
            str(journal),
            counted(self._files.lines, "decision"),
            counted(self._files.records, "record"),
        )


def _digest_of(data: bytes) -> str:
    """Return the digest of *data* as WARC files have it."""
    return digest_text(sha256(data))


def new_id() -> str:
    """Return the id of a new record."""
    return f"urn:uuid:{uuid4()}"
