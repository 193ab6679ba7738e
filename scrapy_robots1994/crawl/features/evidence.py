"""Evidence: a WARC record of each robots.txt answer, and a journal line for each decision.

`Evidence` observes each fetch and each decision, and finds the record of a policy by the
`uid` of the policy. For a policy from a store, from the HTTP cache or from a downloader
middleware, the WARC of this crawl does not contain an answer. Before the first journal
line of a policy without an answer, a record with the bytes of the robots.txt is written.
"""

import time
from http.client import responses
from logging import ERROR, INFO
from typing import Any
from uuid import uuid4

import scrapy
from cachetools import LRUCache
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl.features import evidence_format as names
from scrapy_robots1994.crawl.features.evidence_files import EvidenceFiles
from scrapy_robots1994.crawl.fetch import DownloadState, FetchObserver
from scrapy_robots1994.crawl.log import counted, log_line
from scrapy_robots1994.crawl.requests import (
    EVIDENCE,
    Exemption,
    RobotName,
)
from scrapy_robots1994.crawl.scrapy_private import EngineAccess
from scrapy_robots1994.crawl.settings import RobotsSettings, fill_in_path
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.escaping import escape_control_chars, one_line
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser.usage import VERSIONS
from scrapy_robots1994.parser.user_agent import robot_text
from scrapy_robots1994.policy.fetch_result import Answer, RobotsResponse
from scrapy_robots1994.policy.outcomes import outcome_of
from scrapy_robots1994.policy.policy import Policy

CLOSE_REASON = "robots_evidence_failed"

FLUSH_SECONDS = 1.0
"""Number of seconds between two writes of the evidence files. If a crawl is killed, the
evidence since the last write is lost.
"""

DRY_RUN = "an answer to Scrapy's own middleware"
MIDDLEWARE = "a downloader middleware"

_DESCRIPTION = (
    "Requests for robots.txt and their answers, as Scrapy hands them over. Headers that may "
    f"contain credentials are left out; the field {names.LEFT_OUT} contains their names. "
    "Bodies are without transfer coding, but still compressed. This file does not prove when "
    "it was written."
)


class Evidence(FetchObserver):
    """Records answers and decisions, and closes the crawl if a record cannot be written."""

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        assert settings.evidence is not None  # noqa: S101 - the caller has checked
        self._crawler = crawler
        self._settings = settings
        self._robot = RobotName(crawler)
        folder = fill_in_path("EVIDENCE", settings.evidence, crawler.spider)
        name = getattr(crawler.spider, "name", None) or "spider"
        started = time.time()
        stamp = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(started))
        software = f"scrapy_robots1994/{__version__} Scrapy/{scrapy.__version__}"
        self._files = EvidenceFiles(
            folder,
            f"{name}-{stamp}",
            self._info(software, name),
            {
                "journal": software,
                "time": names.rfc3339(started),
                "spider": name,
                "dry_run": settings.dry_run,
            },
            self._failed,
        )
        # `_records` maps the `uid` of each policy to the values with which a journal line
        # refers to the record of the policy. If the cache no longer contains the values,
        # the record is written again before the next decision.
        self._records: LRUCache[int, dict[str, str]]
        self._records = LRUCache(settings.store.max_origins)
        # During a fetch, `_answers` maps its origin to the values with which a journal
        # line refers to the record of the latest answer. The values are removed when the
        # policy has been made.
        self._answers: dict[Origin, dict[str, str]] = {}
        # Records state `_source` as the source of a policy that this crawl did not fetch.
        places = [f"the store {settings.store}"] * (settings.store.url is not None)
        places += ["the HTTP cache"] * crawler.settings.getbool("HTTPCACHE_ENABLED")
        self._source = (
            DRY_RUN if settings.dry_run else " or ".join(places) or "this crawl"
        )
        self._engine = EngineAccess(crawler)
        self._timer: Any = None
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._idle, signals.spider_idle)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def _info(self, software: str, name: str) -> dict[str, str]:
        """Return the fields of the warcinfo record, which describe the crawl and the
        settings that affect decisions.
        """
        texts = {
            "software": software,
            "format": "WARC File Format 1.1",
            "isPartOf": name,
            "robot": robot_text(self._robot.usual),
            "description": _DESCRIPTION,
        }
        if self._settings.reads_usage:
            texts[names.USAGE_VERSIONS] = VERSIONS
        # `robots-check --evidence` needs the following settings to verify each decision.
        texts |= self._settings.recorded()
        return {
            key: escape_control_chars(it, names.MAX_TEXT) for key, it in texts.items()
        }

    # Fetches of robots.txt.

    def answered(
        self, download: DownloadState, request: Request, response: Response
    ) -> None:
        """Record the answer to one request for a robots.txt."""
        origin, cut = download.origin, download.cut
        self._answers[origin] = self.write_exchange(origin, request, response, cut)

    def policy_fetched(
        self, policy: Policy, result: Answer, last: Policy | None
    ) -> None:
        """Remember the record of the answer from which *policy* was made. *last* is the
        last good policy.
        """
        written = self._answers.pop(policy.origin, None)
        # After a 304 or a failure, *policy* has the `uid` of the last good policy. The
        # record of the last good policy still applies.
        is_new = last is None or policy.uid != last.uid
        if not is_new or policy.status is None:
            return
        # If a downloader middleware changed or created the answer, the answer is not in the
        # WARC.
        is_changed = isinstance(result, RobotsResponse) and result.is_changed
        if written is None or is_changed:
            written = self._write_policy(policy, MIDDLEWARE)
        self._records[policy.uid] = written

    def write_exchange(
        self, origin: Origin, request: Request, response: Response, truncated: str = ""
    ) -> dict[str, str]:
        """Write a record of *request* and a record of *response*. Return the values with
        which a journal line refers to the record of *response*.

        If the body is incomplete, *truncated* is the reason. The WARC standard defines the
        possible reasons as the values of the field `WARC-Truncated`.
        """
        protocol = response.protocol or "HTTP/1.1"
        if not protocol.startswith("HTTP/"):
            protocol = "HTTP/2"
        url, sent, received = request.url, new_id(), new_id()
        line = f"{request.method} {target_of(names.shown_url(url))} {protocol}"
        http = line, list(request.headers.items())
        headers = {
            "WARC-Record-ID": sent,
            "WARC-Concurrent-To": received,
            names.ORIGIN: str(origin),
        }
        self._files.add_record("request", url, headers, b"", http)
        headers |= {"WARC-Record-ID": received, "WARC-Concurrent-To": sent}
        if request.meta.get("proxy"):
            headers[names.VIA_PROXY] = "yes"
        # Do not state `ip_address` if a proxy was used, because it would be the address
        # of the proxy.
        elif response.ip_address is not None:
            headers["WARC-IP-Address"] = str(response.ip_address)
        if truncated:
            headers["WARC-Truncated"] = truncated
        line = f"{protocol} {response.status} {responses.get(response.status, '')}"
        http = line.rstrip(), list(response.headers.items())
        return self._files.add_record("response", url, headers, response.body, http)

    def _write_policy(self, policy: Policy, source: str) -> dict[str, str]:
        """Write a record of *policy*, whose answer is not in this WARC. *source* says
        where the policy comes from. Return the values with which a journal line refers to
        the record.
        """
        robots, status = policy.robots, policy.status or 0
        headers = {
            "WARC-Record-ID": new_id(),
            names.ORIGIN: str(policy.origin),
            "Content-Type": "text/plain",
            names.STATUS: str(status),
            names.FETCHED: names.rfc3339(policy.fetched_at),
            names.SOURCE: escape_control_chars(source, names.MAX_TEXT),
        }
        if robots is not None and robots.is_truncated:
            headers["WARC-Truncated"] = "length"
        if outcome_of(status) is not policy.outcome:
            headers[names.VIA_PROXY] = "yes"
        url = policy.final_url or policy.origin.robots_url
        body = b"" if robots is None else robots.body
        return self._files.add_record("resource", url, headers, body)

    # Decisions.

    def decided(
        self,
        request: Request,
        _origin: Origin,
        found: Policy | Exception | Exemption | str,
    ) -> None:
        """Write the journal line of *request*. If *found* is a policy, the line states the
        decision of that policy. If *found* is not a policy, the line states the reason why
        no policy applies.
        """
        url, robot = request.url, self._robot.of(request)
        values: dict[str, Any] = dict.fromkeys(("record", "digest", "line", "rule"))
        if isinstance(found, Policy):
            written = self._records.get(found.uid)
            # A policy without a status has no record, because there was no answer.
            if written is None and found.status is not None:
                written = self._write_policy(found, self._source)
                self._records[found.uid] = written
            if written is not None:
                request.meta[EVIDENCE] = written["record"]
                values |= written
            values |= names.decision_of(found, url, robot, self._settings)
            values["stale"] = found.is_stale_on_error or not found.is_fresh(time.time())
            values["failure"] = found.failure
        else:
            reason = found.value if isinstance(found, Exemption) else str(found)
            if isinstance(found, Exception):
                reason = f"{type(found).__name__}: {one_line(found)}"
            values |= {"decision": names.UNCHECKED, "reason": reason}
        line = names.JournalLine(
            time=names.rfc3339(time.time()),
            method=request.method,
            url=names.shown_url(url),
            robot=robot_text(robot),
            dialect=self._settings.dialect,
            **values,
        )
        self._files.add_line(line)

    # The crawl.

    def _opened(self) -> None:
        """Write the files once a second, until the crawl closes."""
        self._files.flush()
        self._timer = call_later(FLUSH_SECONDS, self._opened)

    def _failed(self, error: Exception) -> None:
        """Log that evidence is missing because of *error*, and close the crawl."""
        log_line(
            self._crawler,
            ERROR,
            "The evidence in %s and %s cannot be written (%s): the crawl closes with "
            "the reason %s. Free disk space or choose another folder in "
            "ROBOTS1994_EVIDENCE, and start the crawl again",
            *self._files.paths,
            one_line(error),
            CLOSE_REASON,
        )
        # Close the crawl later, because the current request is still in our middleware.
        call_later(0, self._close_crawl)

    def _close_crawl(self) -> None:
        """Close the crawl with the reason `CLOSE_REASON`, unless the crawl is already
        closing.
        """
        # If the error was found while the spider was idle, the crawl is already closing.
        # With another reactor than asyncio, the crawl might have ended by now. The timer
        # is then `None`.
        if self._timer is None or self._engine.is_closing():
            return
        # Scrapy 2.13 has only `close_spider`, which returns a Deferred.
        engine: Any = self._crawler.engine
        close = getattr(engine, "close_spider_async", None)
        if close is None:
            engine.close_spider(self._crawler.spider, CLOSE_REASON)
        else:
            deferred_from_coro(close(reason=CLOSE_REASON))

    def _idle(self) -> None:
        """Write the files. If evidence is missing, close the crawl with the reason
        `CLOSE_REASON`.
        """
        # Write the files now, because an error that is found after the spider has been
        # closed cannot set the reason `CLOSE_REASON`.
        self._files.flush()
        if self._files.error is not None:
            raise CloseSpider(CLOSE_REASON)

    def _closed(self) -> None:
        """Write the remaining evidence, and log where the files are."""
        # If an item pipeline cannot be opened, the crawl closes although `_opened` was
        # never called.
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._files.close()
        if self._files.error is not None:
            return
        log_line(
            self._crawler,
            INFO,
            "The evidence was written to %s and %s: %s and %s",
            *self._files.paths,
            counted(self._files.lines, "decision"),
            counted(self._files.records, "record"),
        )


def new_id() -> str:
    """Return the id of a new record, in angle brackets."""
    return f"<urn:uuid:{uuid4()}>"
