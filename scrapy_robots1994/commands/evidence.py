"""Read the evidence of crawls, find the decision about a URL, and verify all decisions.

To verify a decision, this module makes the decision again. The module uses the WARC
record of the decision, and the settings that the WARC contains. Nothing is fetched.

The folder of evidence is untrusted. Only regular files in the folder are opened, and each
line, header and block is read only up to a limit.
"""

import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from cachetools import LRUCache, cachedmethod

from scrapy_robots1994.commands import warc
from scrapy_robots1994.commands.inputs import (
    NOT_RECORDED,
    TRY_AGAIN,
    PolicySource,
    left_out_as,
    why_unread,
)
from scrapy_robots1994.commands.terminal import (
    Unreadable,
    WrongUse,
    print_notes,
)
from scrapy_robots1994.commands.warc import OnFault, damage_reported, records_in
from scrapy_robots1994.crawl.features import evidence_format as names
from scrapy_robots1994.crawl.features.evidence_format import JournalLine
from scrapy_robots1994.crawl.settings import PREFIX, RobotsSettings
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.usage import VERSIONS
from scrapy_robots1994.policy.fetch_result import FetchError
from scrapy_robots1994.policy.policy import Policy

JOURNAL, WARC = ".jsonl.gz", ".warc.gz"
"""The suffixes of the names of the two files that a crawl writes."""

MAX_LINE_BYTES = 1_000_000
"""The maximum length of one line of a journal, in bytes."""

MAX_INFO_BYTES = 65_536
"""The maximum size, in bytes, of the WARC record that contains the settings of the crawl.
"""

MAX_BLOCK_BYTES = 256_000_000
"""The maximum size of the block of one WARC record, in bytes."""

MAX_FINDING = 1_000
"""The maximum number of characters in the text of one difference or one note."""

MAX_FIELD = 300
"""The maximum length, in characters, of a header field of a record, and of a printed value.
"""

MAX_FILE_BYTES = 10_000_000
"""The maximum total size, in bytes, of the robots.txt files of cached policies. In memory,
a parsed file with rules for many robots is about fifty times as large as the file.
"""

# The cache counts this number of bytes for a policy, in addition to the size of its file.
_POLICY_BYTES = 1_000

# `_WORDS` maps a recorded decision to the verdict that leads to the decision.
_WORDS = {"allowed": "allowed", "refused": "disallowed", names.DECLINED: "allowed"}


class RecordPlace(NamedTuple):
    """The offset (in bytes) of a WARC record, and values from the header of the record."""

    offset: int
    kind: str
    origin: Origin | None
    digest: str
    refers_to: str


class CrawlEvidence:
    """The evidence of one crawl. The evidence consists of a journal and a WARC.

    *differ* is called with one line about each difference, and *note* with one line about
    each file that ends early.
    """

    def __init__(
        self, folder: Path, journal: str, differ: OnFault, note: OnFault
    ) -> None:
        """Read the header of the *journal* in *folder*, and the WARC with the name of the
        journal.
        """
        self.folder, self.journal = folder, journal
        # Do not read the WARC that the header of the journal names. An untrusted journal
        # could name any file.
        self.warc = f"{journal.removesuffix(JOURNAL)}{WARC}"
        self._differ, self._note = differ, note
        self.records: dict[str, RecordPlace] = {}
        self.settings = RobotsSettings.from_recorded({}, differ)
        # `_info` contains the fields of the warcinfo record.
        self._info: dict[str, str] = {}
        self._policies: LRUCache[object, Policy | None] = LRUCache(
            MAX_FILE_BYTES, _size_of
        )
        # `_rest` yields the lines of the journal after the header.
        self._rest = self._lines()
        header = next(self._rest, None)
        self.is_dry_run = bool(header and header[1].get("dry_run"))
        self._read_warc()

    def decisions(self) -> Iterator[tuple[int, JournalLine]]:
        """Yield the line number and the decision of each line of the journal. Report each
        line that is not a decision. Call this method only once, because each line is read
        only once.
        """
        for number, values in self._rest:
            line = JournalLine.of(values)
            if line is not None:
                yield number, line
            else:
                self._differ(f"{self.journal}: line {number} is not a decision")

    def _lines(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the line number and the values of each line of the journal, including the
        header. If the journal cannot be read any further, report why.
        """
        number, text, why = 1, b"", ""
        try:
            with self._opened(self.journal) as packed, gzip.open(packed) as file:
                while (text := file.readline(MAX_LINE_BYTES)).endswith(b"\n"):
                    yield number, JournalLine.values_of(text)
                    number += 1
            if len(text) == MAX_LINE_BYTES:
                why = f"the line exceeds {MAX_LINE_BYTES:,} bytes"
        except EOFError:
            text = b"incomplete"
        except (OSError, zlib.error, ValueError) as error:
            why = str(error) if isinstance(error, ValueError) else "the file is damaged"
        if why:
            self._differ(f"{self.journal}: not read from line {number} on: {why}")
        elif text or number == 1:
            self._note(f"{self.journal}: breaks off within line {number}")

    def _opened(self, name: str) -> BinaryIO:
        """Open the file *name* in the folder.

        Raises ValueError if the file cannot be opened, is a link that leads out of the
        folder, or is not a regular file.
        """
        path = self.folder / name
        if why := left_out_as(path, self.folder):
            raise ValueError(f"it {why}")
        try:
            return path.open("rb")
        except OSError as error:
            raise ValueError(why_unread(error)) from None

    def _in_warc(self, what: str) -> None:
        """Report *what* as damage to the WARC.

        If *what* is `BREAKS_OFF`, print a note instead. A WARC that ends early does not
        count as damaged, because a killed crawl leaves an incomplete WARC.
        """
        report = self._note if what == warc.BREAKS_OFF else self._differ
        report(f"{self.warc}: {what}")

    def _read_warc(self) -> None:
        """Read the settings and the offset of each record from the WARC, and report
        faults.
        """
        # Use `os.path.exists`, because `Path.exists` may raise OSError if the permissions of
        # the folder are missing.
        if not os.path.exists(self.folder / self.warc):  # noqa: PTH110 - `os.path` never raises
            self._differ(f"{self.warc} is missing")
            return
        named: list[tuple[str, str]] = []
        with damage_reported(self._in_warc), self._opened(self.warc) as file:
            for offset, record in records_in(file, self._in_warc, check_digests=True):
                if not self._check(record, offset):
                    continue
                name = _field(record, "WARC-Record-ID")
                place = RecordPlace(
                    offset,
                    record.rec_type,
                    Origin.of(_field(record, names.ORIGIN)),
                    _field(record, "WARC-Payload-Digest"),
                    _field(record, "WARC-Refers-To"),
                )
                self.records[name] = place
                others = (place.refers_to, _field(record, "WARC-Concurrent-To"))
                named += ((name, other) for other in others if other)
        for name, other in named:
            if other not in self.records:
                self._in_warc(
                    f"the record {other} is missing, but the record {name} names it"
                )

    def _check(self, record: Any, offset: int) -> bool:
        """Read the block of *record*, and report each fault in the record. Return whether
        the record is complete.

        Raises ValueError if the block exceeds `MAX_BLOCK_BYTES`.
        """
        name = f"the {record.rec_type} {_field(record, 'WARC-Record-ID')}"

        def report(fault: str) -> None:
            self._in_warc(f"byte {offset}: {fault}")

        if record.rec_type == "warcinfo":
            info = record.raw_stream.read(MAX_INFO_BYTES + 1)
            if len(info) > MAX_INFO_BYTES:
                report(f"{name} exceeds {MAX_INFO_BYTES:,} bytes, and is not read")
            else:
                self._read_settings(info.decode("utf-8", "replace"), report)
        size = 0
        while piece := record.raw_stream.read(warc.PIECE_BYTES):
            size += len(piece)
            if size > MAX_BLOCK_BYTES:
                raise ValueError(f"{name} exceeds {MAX_BLOCK_BYTES:,} bytes")
        for problem in record.digest_checker.problems:
            word = "payload" if "payload" in problem else "block"
            report(f"the {word} digest of {name} is wrong")
        return not warc.is_short(record)

    def _read_settings(self, info: str, report: OnFault) -> None:
        """Read the settings of the crawl from *info*, the block of the warcinfo record.

        *report* is called with a line about each value that cannot be used as recorded.
        """
        self._info = dict(it.partition(": ")[::2] for it in info.split("\r\n"))
        named = {it: self._info[it] for it in self._info if it.startswith(PREFIX)}
        self.settings = RobotsSettings.from_recorded(named, report)
        versions = self._info.get(names.USAGE_VERSIONS, VERSIONS)
        if versions != VERSIONS:
            report(
                f"the crawl read usage preferences according to {versions}, but this version of "
                f"the package reads usage preferences according to {VERSIONS}"
            )

    def policy_of(self, line: JournalLine, dialect: str = "") -> Policy | None:
        """Return the policy on which the decision of *line* is based, or None if the
        evidence does not contain the policy.

        The file is read in *dialect*, or in the dialect of the crawl if *dialect* is empty.
        """
        # Earlier versions of this package wrote two further kinds of records. A revisit record
        # is about a 304 answer, and refers to the record of the answer that the 304 answer
        # confirmed. A metadata record is about a fetch that got no answer.
        place = self.records.get(line.record or "")
        if place is not None and place.refers_to:
            place = self.records.get(place.refers_to)
        kind, origin = place and place.kind, Origin.of(line.url)
        has_none = kind == "metadata" or (line.record is None and line.failure)
        if origin is not None and has_none:
            failed, freshness = FetchError("", ""), self.settings.freshness
            policy = Policy.unreachable(origin, failed, 0.0, freshness)
            return replace(policy, failure=line.failure or "no answer")
        if place is None or kind not in {"response", "resource"}:
            return None
        return self._policy(place, dialect or self.settings.dialect)

    @cachedmethod(attrgetter("_policies"))
    def _policy(self, place: RecordPlace, dialect: str) -> Policy | None:
        """Return the policy in the record at *place*, read in *dialect*, or None if there is
        no policy in the record.
        """
        settings = replace(self.settings, dialect=dialect)
        with damage_reported(self._in_warc), self._opened(self.warc) as file:
            _, record = next(records_in(file, self._in_warc, start=place.offset))
            answer = warc.answer_of(record, settings.max_bytes, self._in_warc)
            if place.origin is not None and answer is not None:
                reader, freshness = settings.new_reader(), settings.freshness
                return Policy.from_response(
                    place.origin, answer, reader, 0.0, freshness
                )
        return None

    def differences(self, line: JournalLine) -> Iterator[str]:
        """Yield a message about each value of *line* that does not follow from the WARC."""
        record = self.records.get(line.record or "")
        is_checked = line.decision != names.UNCHECKED
        has_none = line.record is None and (line.failure or not is_checked)
        if record is None and not has_none:
            yield f"the record {line.record} of the decision is not in {self.warc}"
            return
        by_warc = {
            "digest": record and record.digest,
            "dialect": self.settings.dialect,
        }
        yield from _unequal(line, by_warc, "WARC")
        if record is not None and record.origin != Origin.of(line.url):
            yield (
                f"the record {line.record} of the decision is about {record.origin}, not about "
                "the origin of the URL"
            )
        if not is_checked:
            return
        policy = self.policy_of(line)
        if policy is None:
            yield f"the record {line.record} of the decision does not contain a policy"
            return
        by_record = names.decision_of(policy, line.url, line.robot, self.settings)
        yield from _unequal(line, by_record, "record")


class Applied(NamedTuple):
    """The recorded decision that applied to a URL.

    The decision is *line*, which is line *number* of the journal of *crawl*. *is_own* is
    true if the decision is about the URL itself. If *is_own* is false, the decision is
    about another URL of the same origin.
    """

    crawl: CrawlEvidence
    number: int
    line: JournalLine
    is_own: bool

    def source(self, dialect: str) -> PolicySource:
        """Return a `PolicySource` with the policy on which the decision is based.

        The robots.txt is read in *dialect*, or in the recorded dialect if *dialect* is
        empty.
        """
        name = f"{Origin.of(self.line.url)}/robots.txt"
        if self.line.decision == names.UNCHECKED:
            reason = escape_control_chars(self.line.reason or "", MAX_FIELD)
            why = f"no policy decided: {reason}"
            return PolicySource(name, None, "unknown", why=why)
        policy = self.crawl.policy_of(self.line, dialect)
        if policy is None:
            why = "its record is missing or damaged; --verify prints the difference"
            return PolicySource(name, None, "unknown", why=why)
        source = PolicySource.from_policy(name, policy)
        # Remove the advice to try again, because a new fetch would say nothing about the
        # past.
        return replace(source, why=source.why.removesuffix(TRY_AGAIN))

    def as_json(self) -> dict[str, Any]:
        """Return the decision as plain values for JSON.

        The values include the line number of the decision in the journal, and the offset
        of the decision's record in the WARC.
        """
        record = self.crawl.records.get(self.line.record or "")
        return {
            "time": self.line.time,
            "url": self.line.url,
            "decision": self.line.decision,
            "dry_run": self.crawl.is_dry_run,
            "record": self.line.record,
            "warc": str(self.crawl.folder / self.crawl.warc),
            "byte": record and record.offset,
            "journal": str(self.crawl.folder / self.crawl.journal),
            "line": self.number,
        }

    def describe(self, word: str) -> str:
        """Return printable text that says when the crawl decided, and where the evidence
        of the decision is.

        *word* is the verdict that is printed above the text. The verdict may differ from
        the decision, for example because --robot names another robot.
        """
        record = self.crawl.records.get(self.line.record or "")
        # Limit each value, because a value in an untrusted journal may be very long.
        line = self.line
        time, url, name, reason = (
            escape_control_chars(it or "", MAX_FIELD)
            for it in (line.time, line.url, line.record, line.reason)
        )
        what = "decided"
        if not self.is_own:
            what = (
                "this URL was not requested; the last decision about its origin was made for "
                f"{url}"
            )
        elif _WORDS.get(line.decision, word) != word:
            what = f"the crawl decided differently ({line.decision})"
        if self.crawl.is_dry_run:
            what += ", in a dry run without effect,"
        if line.decision == names.DECLINED:
            what += f", but not requested for {reason} because of line {line.line},"
        by = f" according to {name} in {self.crawl.warc}" * bool(name)
        by += "" if record is None else f", byte {record.offset}"
        return f"{what} at {time}{by} ({self.crawl.journal}, line {self.number})"


class EvidenceFolder:
    """The evidence of all crawls in one folder.

    A difference is a contradiction or damage in the evidence. As soon as a difference is
    found, *differ* is called with one printable line about the difference. A file that ends
    early is not a difference, because a killed crawl leaves incomplete files. A note is
    printed about each of the first few files that end early.
    """

    def __init__(self, name: str, differ: OnFault) -> None:
        self._name, self._folder = name, Path(name)
        self._differ: OnFault = lambda it: differ(escape_control_chars(it, MAX_FINDING))
        # `_incomplete` contains a line about each file that ends early.
        self._incomplete: list[str] = []
        shown = escape_control_chars(name, 300)
        try:
            files = sorted(it.name for it in self._folder.iterdir())
        except OSError as error:
            raise Unreadable(f"--evidence: {shown}: {why_unread(error)}") from None
        self.journals = [it for it in files if it.endswith(JOURNAL)]
        if not self.journals:
            raise WrongUse(
                f"--evidence: the folder {shown} has no journal (*{JOURNAL}): name the "
                "folder of ROBOTS1994_EVIDENCE"
            )

    def _crawls(self) -> Iterator[CrawlEvidence]:
        """Yield the evidence of each crawl, and print the notes."""
        note = self._incomplete.append
        for journal in self.journals:
            yield CrawlEvidence(self._folder, journal, self._differ, note)
        print_notes("incomplete", self._incomplete)

    def verify(self) -> tuple[int, int]:
        """Make each decision again, and report all differences.

        Return the number of decisions and the number of records.
        """
        decisions = records = 0
        for crawl in self._crawls():
            records += len(crawl.records)
            for number, line in crawl.decisions():
                decisions += 1
                for it in crawl.differences(line):
                    self._differ(f"{crawl.journal}: line {number}: {it}")
        return decisions, records

    def without_request(self, url: str) -> PolicySource:
        """Return the source to use for *url* if `find` finds no decision about the origin
        of *url*.
        """
        why = f"{self._name} contains no decision about this origin, or no decision up to --at"
        return PolicySource(f"{Origin.of(url)}/robots.txt", None, NOT_RECORDED, why=why)

    def find(self, urls: Iterable[str], at: str) -> dict[str, Applied | None]:
        """Return a dictionary that maps each of *urls* to the last decision about the URL
        up to the time *at*.

        A URL without a decision is mapped to the last decision about its origin. If there
        is no decision about the origin either, the URL is mapped to None.
        """
        wanted = set(urls)
        origins = {Origin.of(url) for url in wanted}
        # `found` maps each URL and each origin to the last decision found so far.
        found: dict[str | Origin | None, Applied] = {}
        for crawl in self._crawls():
            for number, line in crawl.decisions():
                origin = Origin.of(line.url)
                if line.time > at or origin not in origins:
                    continue
                for key in (origin, *wanted.intersection([line.url])):
                    if key not in found or found[key].line.time <= line.time:
                        is_own = key == line.url
                        found[key] = Applied(crawl, number, line, is_own)
        return {url: found.get(url, found.get(Origin.of(url))) for url in wanted}


def time_of(text: str | None) -> str:
    """Convert the time *text* from the command line to the format of the times in journals.

    If *text* is None, the result is later than the time of every decision. Raises
    `WrongUse` if *text* is not a time.
    """
    if text is None:
        return "9999"
    try:
        # Replace the Z of RFC 3339, because Python 3.10 does not accept the Z.
        at = datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text))
    except ValueError:
        shown = repr(escape_control_chars(text, 60))
        raise WrongUse(
            f"--at: {shown} is not a time: write it as 2026-11-23T10:00:00Z"
        ) from None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return names.rfc3339(at.timestamp())


def _unequal(line: JournalLine, stated: Mapping[str, object], by: str) -> Iterator[str]:
    """Yield a message about each value of *line* that differs from the value in *stated*.

    *by* names the source of *stated*, which is the WARC or the record.
    """
    for key, value in stated.items():
        if (written := getattr(line, key)) != value:
            shown = (escape_control_chars(repr(it), 200) for it in (written, value))
            yield "{} is {} in the journal, but {} in the {by}".format(
                key, *shown, by=by
            )


def _field(record: Any, name: str) -> str:
    """Return the field *name* from the header of *record*, without angle brackets.

    Return "" if the field is missing or longer than `MAX_FIELD` characters.
    """
    text = str(record.rec_headers.get_header(name) or "")
    return text.strip("<>") if len(text) <= MAX_FIELD else ""


def _size_of(policy: Policy | None) -> int:
    """Return the size that the cache counts for *policy*, in bytes."""
    return _POLICY_BYTES + (0 if policy is None else policy.stated.size)
