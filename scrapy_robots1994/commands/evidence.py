"""The evidence of crawls, read again: what applied to a URL, and whether all of it fits.

A decision is made again from the bytes of its record, by the package's own reader and
outcome rows, with the settings that the WARC names. Nothing is fetched.
"""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from scrapy_robots1994.commands.inputs import PolicySource, why_unread
from scrapy_robots1994.commands.terminal import Unreadable, WrongUse
from scrapy_robots1994.commands.warc import (
    BREAKS_OFF,
    answer_of,
    damage_reported,
    is_short,
    read_up_to,
    records_in,
)
from scrapy_robots1994.crawl.features.evidence_format import (
    CLIENT,
    ORIGIN,
    STATUS,
    VIA_PROXY,
    decision_of,
    digest_of,
    rfc3339,
)
from scrapy_robots1994.crawl.settings import PREFIX, RobotsSettings
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.clients import Clients, clients_named
from scrapy_robots1994.parser.dialects import DIALECTS, READINGS
from scrapy_robots1994.policy.fetch_result import FetchError, RobotsResponse
from scrapy_robots1994.policy.policy import Policy

MAX_BLOCK_BYTES = 256_000_000
"""Bytes of one record that are read."""

MAX_POLICIES = 2_000
"""Policies that stay parsed."""

_SUCCESS = 2

Report = Callable[[str], object]


class Entry(NamedTuple):
    """A record of a WARC: where it begins, and what its header says."""

    offset: int
    kind: str
    origin: Origin | None
    digest: str
    refers_to: str


class Line(NamedTuple):
    """A line of a journal: its number, from 1, and its values."""

    number: int
    values: dict[str, Any]


class CrawlEvidence:
    """The journal of one crawl, and its WARC.

    *report* is called with each difference, *note* with what a crawl that was killed
    leaves.
    """

    def __init__(self, journal: Path, report: Report, note: Report) -> None:
        """Read the header of the journal and all records of the WARC."""
        self.journal, self.report, self.note = journal, report, note
        self.entries: dict[str, Entry] = {}
        self.settings = RobotsSettings.from_recorded({}, report)
        # By scheme, as the WARC names them.
        self._client_names: dict[str, str] = {}
        self.policy = lru_cache(MAX_POLICIES)(self._policy)
        named = next(self._lines(), Line(0, {})).values.get("warc")
        # Only next to the journal: a file of others must not choose what is read.
        name = Path(named).name if isinstance(named, str) else ""
        self.warc = journal.parent / name
        if not name:
            report(f"{journal.name}: its first line names no WARC")
        elif not self.warc.is_file():
            report(f"{self.warc.name} is missing")
        else:
            with damage_reported(self._in_warc):
                self._read_records()

    def __iter__(self) -> Iterator[Line]:
        """Yield the decisions."""
        lines = self._lines()
        next(lines, None)
        yield from lines

    def _lines(self) -> Iterator[Line]:
        """Yield all lines of the journal, the header too."""
        read, is_whole = 0, True
        try:
            with gzip.open(self.journal, "rb") as file:
                for text in file:
                    is_whole = text.endswith(b"\n")
                    if is_whole:
                        values = dict(json.loads(text))
                        read += 1
                        yield Line(read, values)
        except EOFError:
            is_whole = False
        except (OSError, zlib.error, ValueError, TypeError, RecursionError) as error:
            why = error if isinstance(error, zlib.error) else "it is damaged"
            self.report(f"{self.journal.name}: not read from line {read + 1} on: {why}")
        if not is_whole:
            self.note(f"{self.journal.name}: breaks off within line {read + 1}")

    def _in_warc(self, what: str) -> None:
        """Report damage of the WARC; the end of a killed crawl is none."""
        is_end = what == BREAKS_OFF
        (self.note if is_end else self.report)(f"{self.warc.name}: {what}")

    def _read_records(self) -> None:
        """Note where each record is, and check its digests."""
        named: list[tuple[str, str]] = []
        for offset, record in records_in(self.warc, self._in_warc, whole=True):
            block = read_up_to(record.raw_stream, MAX_BLOCK_BYTES)
            if is_short(record):
                continue
            name, kind = _id(record, "WARC-Record-ID"), record.rec_type
            if kind == "warcinfo":
                fields = _fields_of(block)
                self.settings = RobotsSettings.from_recorded(
                    {it: fields[it] for it in fields if it.startswith(PREFIX)},
                    self._in_warc,
                )
                self._client_names = {
                    it.removeprefix(CLIENT): fields[it]
                    for it in fields
                    if it.startswith(CLIENT)
                }
            digest = _text(record, "WARC-Payload-Digest")
            is_http = kind in {"request", "response"}
            payload = block.partition(b"\r\n\r\n")[2] if is_http else block
            stated = {"block": (_text(record, "WARC-Block-Digest"), block)}
            # Of a revisit it is that of the record it refers to.
            if kind != "revisit":
                stated["payload"] = digest, payload
            for word, (it, data) in stated.items():
                if it and not _fits(data, it):
                    self.report(
                        f"{self.warc.name}: byte {offset}: the {word} digest of the "
                        f"{kind} {name} does not fit"
                    )
            refers_to = _id(record, "WARC-Refers-To")
            others = (refers_to, _id(record, "WARC-Concurrent-To"))
            named += ((name, other) for other in others if other)
            origin = Origin.of(_text(record, ORIGIN))
            self.entries[name] = Entry(offset, kind, origin, digest, refers_to)
        for name, other in named:
            if other not in self.entries:
                self.report(
                    f"{self.warc.name}: {other}, which {name} names, is missing"
                )

    def _policy(self, record: str, dialect: str, reading: str) -> Policy | None:
        """Return the policy that *record* states; `None` if it states none."""
        entry = self.entries.get(record)
        if entry is not None and entry.kind == "revisit":
            entry = self.entries.get(entry.refers_to)
        if entry is None or entry.origin is None:
            return None
        if dialect not in DIALECTS or reading not in READINGS:
            return None
        settings = replace(self.settings, dialect=dialect, reading=reading)
        freshness = settings.freshness
        if entry.kind == "metadata":
            failed = FetchError("", "")
            return Policy.unreachable(entry.origin, failed, 0.0, freshness)
        answer = None
        with damage_reported(self._in_warc):
            answer = self._answer(entry, settings.max_bytes)
        if answer is None:
            return None
        reader = settings.new_reader()
        return Policy.from_response(entry.origin, answer, reader, 0.0, freshness)

    def _answer(self, entry: Entry, limit: int) -> RobotsResponse | None:
        """Return the answer that *entry* records; `None` for what is no answer."""
        records = records_in(self.warc, self._in_warc, start=entry.offset)
        _, record = next(records)
        if entry.kind == "resource":
            is_truncated = _text(record, "WARC-Truncated") == "length"
            status = int(_text(record, STATUS))
            body = read_up_to(record.raw_stream, MAX_BLOCK_BYTES)
            return RobotsResponse(status, body, is_truncated=is_truncated)
        if entry.kind != "response":
            return None
        status = int(record.http_headers.get_statuscode())
        # The body of any other answer says nothing, and may be packed wrongly.
        if status // 100 != _SUCCESS:
            return RobotsResponse(status, via_proxy=bool(_text(record, VIA_PROXY)))
        url = _text(record, "WARC-Target-URI")
        return answer_of(record, url, limit, self._in_warc)

    def differences(self, line: Line) -> Iterator[str]:
        """Yield what the records say otherwise than *line*."""
        values = line.values
        record, origin = values.get("record"), Origin.of(str(values.get("url")))
        entry = self.entries.get(str(record))
        is_checked = values.get("decision") != "unchecked"
        if entry is None:
            if record is not None or is_checked:
                yield f"its record {record} is not in {self.warc.name}"
            return
        by_warc = {
            "digest": entry.digest,
            "dialect": self.settings.dialect,
            "reading": self.settings.reading,
        }
        for key, stated in by_warc.items():
            if values.get(key) != stated:
                yield f"{key} is {values.get(key)!r}, by its WARC {stated!r}"
        if entry.origin != origin:
            yield f"its record {record} is of {entry.origin}"
        if not is_checked:
            return
        found = self.decided(line)
        if found is None:
            yield f"its record {record} decides nothing"
            return
        for key, stated in found.items():
            if values.get(key) != stated:
                yield f"{key} is {values.get(key)!r}, by its record {stated!r}"

    def decided(self, line: Line) -> dict[str, Any] | None:
        """Return the decision of *line*, made again; `None` if its record states none."""
        record, dialect, reading, url, robot = (
            str(line.values.get(key))
            for key in ("record", "dialect", "reading", "url", "robot")
        )
        policy = self.policy(record, dialect, reading)
        if policy is None:
            return None
        clients = self.clients(line)
        return decision_of(policy.rules(robot).verdict(url, clients))

    def clients(self, line: Line) -> Clients:
        """Return the clients that may have sent the request of *line*."""
        scheme = str(line.values.get("url")).partition(":")[0].lower()
        # Crawls of version 0.1 did not look at the client.
        return clients_named(line.values.get("client", self._client_names.get(scheme)))


class Applied(NamedTuple):
    """What applied to a URL: a decision, perhaps about another URL of its origin."""

    crawl: CrawlEvidence
    line: Line
    is_own: bool

    def source(self, dialect: str) -> PolicySource:
        """Return the policy of the decision, in another *dialect* if that is named."""
        values = self.line.values
        record, reading = str(values.get("record")), str(values.get("reading"))
        name = f"{Origin.of(str(values.get('url')))}/robots.txt"
        if values.get("decision") == "unchecked":
            why = f"no policy was found: {values.get('reason')}"
            return PolicySource(name, None, "unknown", why=why)
        dialect = dialect or str(values.get("dialect"))
        policy = self.crawl.policy(record, dialect, reading)
        if policy is None:
            why = "its record is missing or damaged: see --verify"
            return PolicySource(name, None, "unknown", why=why)
        return PolicySource.from_policy(name, policy)

    def as_json(self) -> dict[str, Any]:
        """Return where it stands."""
        record = str(self.line.values.get("record"))
        entry = self.crawl.entries.get(record)
        return {
            "time": self.line.values.get("time"),
            "url": self.line.values.get("url"),
            "record": self.line.values.get("record"),
            "warc": str(self.crawl.warc),
            "byte": entry and entry.offset,
            "journal": str(self.crawl.journal),
            "line": self.line.number,
        }

    def __str__(self) -> str:
        """Return where it stands, in words."""
        it = self.as_json()
        what = "decided" if self.is_own else f"not requested; decided for {it['url']}"
        byte = "" if it["byte"] is None else f", byte {it['byte']}"
        return (
            f"{what} at {it['time']} by {it['record']} in {self.crawl.warc.name}{byte} "
            f"({self.crawl.journal.name}, line {it['line']})"
        )


class EvidenceFolder:
    """All evidence of one folder; faults are collected in *differences* and *notes*."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.differences: list[str] = []
        self.notes: list[str] = []
        try:
            journals = sorted(Path(folder).glob("*.jsonl.gz"))
        except OSError as error:
            raise Unreadable(f"--evidence: {why_unread(error)}") from None
        if not journals:
            shown = escape_control_chars(folder, 300)
            raise WrongUse(
                f"--evidence: no journal (*.jsonl.gz) is in {shown}: name the folder of "
                "ROBOTS1994_EVIDENCE"
            )
        self.crawls = [
            CrawlEvidence(it, self.differences.append, self.notes.append)
            for it in journals
        ]

    def verify(self) -> tuple[int, int]:
        """Make each decision again, and return the numbers of decisions and records."""
        decisions = 0
        for crawl in self.crawls:
            for line in crawl:
                decisions += 1
                self.differences += (
                    f"{crawl.journal.name}: line {line.number}: {it}"
                    for it in crawl.differences(line)
                )
        return decisions, sum(len(crawl.entries) for crawl in self.crawls)

    def without_request(self, url: str) -> PolicySource:
        """Return the source for a *url* whose origin no crawl had requested by then."""
        why = f"no request of this origin, or none so early, is in {self._folder}"
        return PolicySource(f"{Origin.of(url)}/robots.txt", None, "unknown", why=why)

    def find(self, urls: Iterable[str], at: str) -> dict[str, Applied]:
        """Return what applied last to each of *urls*, not later than *at*.

        If a URL was not requested, it is the last decision of its origin.
        """
        wanted = set(urls)
        origins = {Origin.of(url) for url in wanted}
        # By URL, and by origin.
        found: dict[str | Origin | None, Applied] = {}
        for crawl in self.crawls:
            for line in crawl:
                url, time = str(line.values.get("url")), str(line.values.get("time"))
                origin = Origin.of(url)
                if time > at or origin not in origins:
                    continue
                for key in (origin, *wanted.intersection([url])):
                    if _time(found.get(key)) <= time:
                        found[key] = Applied(crawl, line, is_own=key == url)
        applied = {url: found.get(url, found.get(Origin.of(url))) for url in wanted}
        return {url: it for url, it in applied.items() if it is not None}


def time_of(text: str | None) -> str:
    """Return a time of the command line as journals have it; without one, a late one.

    Raise `WrongUse` for what is none.
    """
    if text is None:
        return "9999"
    try:
        # Python 3.10 does not know the Z of RFC 3339.
        at = datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text))
    except ValueError:
        shown = repr(escape_control_chars(text, 60))
        raise WrongUse(
            f"--at: {shown} is not a time: write it as 2026-11-23T10:00:00Z"
        ) from None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return rfc3339(at)


def _time(applied: Applied | None) -> str:
    """Return when *applied* was decided; "" for none."""
    return "" if applied is None else str(applied.line.values.get("time"))


def _text(record: Any, name: str) -> str:
    """Return a field of the header of *record*; "" without it."""
    return str(record.rec_headers.get_header(name) or "")


def _id(record: Any, name: str) -> str:
    """Return the id in a field of the header of *record*, without its brackets."""
    return _text(record, name).strip("<>")


def _fields_of(block: bytes) -> dict[str, str]:
    """Return the fields of a warcinfo record."""
    lines = block.decode("utf-8", "replace").split("\r\n")
    fields = (line.partition(": ") for line in lines)
    return {name: value for name, _, value in fields}


def _fits(data: bytes, stated: str) -> bool:
    """Return whether *data* has the digest that is *stated*."""
    try:
        return digest_of(data, stated.partition(":")[0]) == stated
    except (ValueError, TypeError):
        # An unknown algorithm, or one whose digests have any length.
        return False
