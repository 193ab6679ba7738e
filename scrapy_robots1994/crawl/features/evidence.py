"""`ROBOTS1994_EVIDENCE`: record each robots.txt and each decision of a crawl.

The evidence is a gzip file of JSON lines, which `robots-evidence` reads.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import platform
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from datetime import datetime, timezone
from functools import partial
from logging import ERROR, INFO
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import scrapy
from cachetools import LRUCache
from scrapy import signals
from scrapy.settings import BaseSettings
from scrapy.utils.defer import deferred_from_coro

from scrapy_robots1994 import __version__
from scrapy_robots1994.crawl.features.paths import fill_in_path, must_be_writable
from scrapy_robots1994.crawl.log import counted, log_line
from scrapy_robots1994.crawl.observers import Observer
from scrapy_robots1994.crawl.requests import Exemption, RobotName, spider_of
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import call_later, future_result, result_of
from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars, one_line
from scrapy_robots1994.parser.user_agent import robot_text
from scrapy_robots1994.policy.outcomes import SETTING_PREFIX
from scrapy_robots1994.policy.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.observers import Found
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import Verdict
    from scrapy_robots1994.parser.usage import Usage
    from scrapy_robots1994.policy.answer import Answer

FORMAT = 1

WRITE_SECONDS = 1.0

CLOSE_REASON = "robots_evidence_failed"

MIN_IDS = 20_000
"""The ids of at least this many answers are kept, because waiting requests may be decided by an
answer that is no longer in memory.
"""

MAX_RULE = 1_000
"""Quoted text, such as a rule or an error, is cut to this many characters."""

_CREDENTIALS = re.compile(r"\A([^/?]*//)[^/?]*@")
_NOT_IN_NAMES = re.compile(r"^\.+|[^\w.-]+", re.ASCII)


def utc(seconds: float) -> str:
    """Format *seconds* since the epoch in ISO 8601."""
    at = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shown_url(url: str) -> str:
    """Remove the credentials and the fragment, neither of which affects a decision."""
    return _CREDENTIALS.sub(r"\1", url.partition("#")[0])


def usage_as_json(usage: Usage) -> dict[str, list[str]]:
    """Map each stated purpose to "allow" or "disallow" and the place that states it, such as
    "robots.txt line 4".
    """
    return {
        it.purpose: [it.answer.value, it.where[:MAX_RULE]]
        for it in reversed(usage.statements)
        if it.answer is usage[it.purpose]
    }


class EvidenceWriter:
    """Writes a new file in *folder*, in a thread of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        start = f"{datetime.now(tz=timezone.utc):%Y-%m-%dT%H-%M-%S}"
        safe = _NOT_IN_NAMES.sub("_", name)[:60]
        self.path = folder / f"{safe}-{start}-{token_hex(4)}.jsonl.gz"
        folder.mkdir(parents=True, exist_ok=True)
        # The umask decides who may read the URLs of the crawl.
        self._file = self.path.open("xb", buffering=0)
        self._lines: list[dict[str, Any]] = []
        self._error: Exception | None = None
        self._thread = ThreadPoolExecutor(1, "robots1994-evidence")

    def add(self, line: dict[str, Any]) -> None:
        self._lines.append(line)

    def write(self) -> Future[Exception | None]:
        """Write the lines added since the last call as one gzip member, in the background.

        The result of the future is the first error of all writes so far, or None.
        """
        lines, self._lines = self._lines, []
        return self._thread.submit(self._write, lines)

    def _write(self, lines: list[dict[str, Any]]) -> Exception | None:
        # After an error, write nothing more, because whatever follows an incomplete gzip member
        # cannot be read.
        if lines and self._error is None:
            try:
                text = "".join(f"{json.dumps(_packed(line))}\n" for line in lines)
                member = memoryview(gzip.compress(text.encode(), 6))
                # Repeat until everything is written, because a single call may write only a part if
                # the disk is full.
                while member:
                    member = member[self._file.write(member) :]
            except Exception as error:  # noqa: BLE001 - any error means missing evidence
                self._error = error
        return self._error

    def close(self) -> None:
        """Close the file after the last write, without waiting."""
        self._thread.submit(self._file.close)
        self._thread.shutdown(wait=False)


def _packed(line: dict[str, Any]) -> dict[str, Any]:
    robots = line.get("robots")
    if robots is None or robots["body"] is None:
        return line
    body = robots.pop("body")
    robots["sha256"] = hashlib.sha256(body).hexdigest()
    try:
        robots["body"] = body.decode("utf-8")
    except UnicodeDecodeError:
        robots["body_base64"] = base64.b64encode(body).decode("ascii")
    return line


class Evidence(Observer):
    """Records the answers and decisions of a crawl. Closes the crawl if they cannot be written, for
    example because the disk is full.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        assert settings.evidence is not None  # noqa: S101 - `observers_of` checks it
        self._crawler = crawler
        self._settings = settings
        self._robot = RobotName(crawler)
        self._error: Exception | None = None
        self._timer: Any = None
        size = max(2 * settings.store.max_origins, MIN_IDS)
        self._ids: LRUCache[tuple[Origin, float], int] = LRUCache(size)
        self._latest: LRUCache[Origin, int] = LRUCache(size)
        self._answers = self._decisions = 0
        name, spider = "ROBOTS1994_EVIDENCE", spider_of(crawler)
        folder = fill_in_path(name, settings.evidence, spider)
        with must_be_writable(name, folder):
            self._file = EvidenceWriter(folder, spider.name)
        self._usual = robot_text(self._robot.usual)
        line = {
            "format": FORMAT,
            "versions": {
                "scrapy_robots1994": __version__,
                "scrapy": scrapy.__version__,
                "python": platform.python_version(),
            },
            "spider": spider.name,
            "start": utc(time.time()),
            "robot": self._usual,
            "dialect": settings.dialect,
            "settings": recorded(settings),
        }
        self._file.add({"crawl": line})
        # Write this line at once, because another component may still keep the crawl from starting.
        self._file.write().result()
        connect = crawler.signals.connect
        connect(self._write_regularly, signals.spider_opened)
        connect(self._closed, signals.spider_closed)

    def fetched(self, policy: Policy, answer: Answer) -> None:
        self._answers += 1
        number = self._answers
        decides: int | None = number
        if policy.is_stale_on_error:
            # The failed refresh is recorded too, but the last good answer decides.
            decides = self._latest.get(policy.origin)
        if decides is not None:
            self._latest[policy.origin] = decides
            self._ids[policy.origin, policy.fetched_at] = decides
        urls = list(map(shown_url, answer.urls))
        line = {
            "id": number,
            "origin": str(policy.origin),
            "url": urls[0],
            "urls": urls,
            "source": answer.source,
            "status": answer.status,
            "outcome": answer.outcome.value,
            "via_proxy": answer.via_proxy,
            "failure": answer.failure,
            "fetched": utc(answer.fetched_at),
            "truncated": answer.is_truncated,
            "body": answer.body if answer.outcome.row.reads_body else None,
        }
        self._file.add({"robots": line})

    def decided(
        self, request: Request, origin: Origin, found: Found, verdict: Verdict | None
    ) -> None:
        line: dict[str, Any] = {
            "time": utc(time.time()),
            "url": shown_url(request.url),
            "decision": "exempt",
            "robots": None,
        }
        robot = self._robot.of(request)
        if isinstance(found, Policy) and verdict is not None:
            line["decision"] = "allowed" if verdict.allowed else "refused"
            line["robots"] = self._ids.get((origin, found.fetched_at))
            line |= decision_of(found, request.url, robot, verdict, self._settings)
        elif isinstance(found, Exception):
            line["decision"] = "failed"
            line["reason"] = f"{type(found).__name__}: {one_line(found)}"[:MAX_RULE]
        elif isinstance(found, Exemption):
            line["reason"] = found.value
        if (name := robot_text(robot)) != self._usual:
            line["robot"] = name
        self._decisions += 1
        self._file.add({"decision": line})

    def _write_regularly(self) -> None:
        deferred_from_coro(self._write())
        self._timer = call_later(WRITE_SECONDS, self._write_regularly)

    async def _write(self) -> None:
        error = await future_result(self._file.write())
        if error is None or self._error is not None:
            return
        self._error = error
        log_line(
            self._crawler,
            ERROR,
            "The evidence in %s cannot be written (%s): the crawl closes with the reason "
            "%s. Free disk space or choose another folder in ROBOTS1994_EVIDENCE, and "
            "start the crawl again",
            str(self._file.path),
            one_line(error),
            CLOSE_REASON,
        )
        if self._timer is None:
            return
        engine: Any = self._crawler.engine
        # Scrapy 2.13 has only `close_spider`.
        close = getattr(engine, "close_spider_async", None) or partial(
            engine.close_spider, self._crawler.spider
        )
        # Ignore errors, because the crawl may already be closing.
        closing = result_of(close(reason=CLOSE_REASON))
        deferred_from_coro(closing).addErrback(lambda _: None)

    async def _closed(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await self._write()
        self._file.close()
        if self._error is None:
            log_line(
                self._crawler,
                INFO,
                "The evidence was written to %s: %s and %s",
                str(self._file.path),
                counted(self._decisions, "decision"),
                counted(self._answers, "answer"),
            )


def decision_of(
    policy: Policy,
    url: str,
    robot: str | bytes,
    verdict: Verdict,
    settings: RobotsSettings,
) -> dict[str, Any]:
    line: dict[str, Any] = {
        "line": verdict.line,
        "rule": verdict.rule and verdict.rule[:MAX_RULE],
        "reason": verdict.reason.value,
        "dialect": verdict.dialect,
    }
    if verdict.allowed and settings.usage:
        from scrapy_robots1994.crawl.features.usage import stated_by  # noqa: PLC0415 - needs an extra

        usage = stated_by(policy, url, robot)
        line["usage"] = usage_as_json(usage)
        if forbidden := usage.forbids(settings.request_purposes):
            line["decision"] = "declined"
            line["reason"] = forbidden.purpose
    return line


def recorded(settings: RobotsSettings) -> dict[str, str]:
    """Return the settings that affect decisions, as text."""
    values = {
        f"{SETTING_PREFIX}{each.name.upper()}": getattr(settings, each.name)
        for each in fields(settings)
        if each.metadata["decides"]
    }
    return {
        name: ",".join(value) if isinstance(value, tuple) else str(value)
        for name, value in values.items()
    }


def read_settings(
    texts: Mapping[str, object], on_fault: Callable[[str], object]
) -> RobotsSettings:
    """Read the settings that `recorded` returned in another crawl.

    *texts* is untrusted. Settings that do not affect decisions are ignored. If a value is invalid,
    the defaults of all settings are returned. In both cases, *on_fault* is called with a message.
    """
    defaults = RobotsSettings.from_settings(BaseSettings())
    read = dict(texts)
    for name in texts.keys() - recorded(defaults):
        shown = escape_control_chars(name, 60)
        on_fault(f"{shown} is not a setting that affects decisions")
        del read[name]
    try:
        return RobotsSettings.from_settings(BaseSettings(read))
    except SettingsError as error:
        on_fault(str(error))
        return defaults
