"""The command `scrapy robots-evidence`, which reads what crawls with `ROBOTS1994_EVIDENCE` wrote.

Evidence is not trusted: the command opens no file or URL that the evidence names, and reports
malformed lines as differences.
"""

import argparse
import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cachetools import LRUCache
from w3lib.url import safe_url_string

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.inputs import STDIN, expand, why_unread
from scrapy_robots1994.commands.terminal import WIDTH, ExitCode, Unreadable, WrongUse
from scrapy_robots1994.escaping import (
    escape_control_chars,
    redact_and_escape,
    wrap_and_escape,
)
from scrapy_robots1994.origin import Origin, target_of

if TYPE_CHECKING:
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.policy.answer import Answer
    from scrapy_robots1994.policy.policy import Policy

Values: TypeAlias = dict[str, Any]

MAX_LINE_BYTES = 8_000_000
"""Longer lines are reported, not read. A body of 512,000 bytes takes at most 3.1 MB in JSON."""

MAX_ROBOT = 10_000
"""Decisions with a longer robot name are reported, not repeated."""

MAX_PARSED_BYTES = 20_000_000
"""The maximum total size of the bodies whose policies one `EvidenceFile` keeps in memory."""

MIN_PARSED_BYTES = 100_000
"""Each of these bodies counts as at least this many bytes."""

_NO_DECISION = "no decision"
# The exit code and the style of each decision.
_DECISIONS = {
    "allowed": (ExitCode.FINE, "32"),
    "exempt": (ExitCode.FINE, "33"),
    "failed": (ExitCode.UNREAD, "33"),
    _NO_DECISION: (ExitCode.UNREAD, "33"),
}
_OTHER = ExitCode.FOUND, "31"
_MARGIN = 13
# Raised because of a malformed line: invalid JSON, nesting too deep, an overlong number, a wrong
# type or a missing key
_ODD = (ValueError, TypeError, AttributeError, KeyError, RecursionError)


class RobotsEvidence(RobotsCommand):
    help_text = """Say what a crawl decided about URLs, from its evidence.

    Say for each URL what a crawl with ROBOTS1994_EVIDENCE decided, when, and by
    which line of which robots.txt. FILE is a file of evidence, and FOLDER means all
    such files under it. With --verify, read each recorded robots.txt again, and
    report whatever differs. Nothing is fetched.

    examples:
      scrapy robots-evidence evidence/ https://example.com/archive/7
      scrapy robots-evidence evidence/ https://example.com/ --at 2026-11-23T10:00:00Z
      scrapy robots-evidence evidence/ --verify
    """
    arguments = "FILE|FOLDER [URL...]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        at = "the last decision up to TIME, for example 2026-11-23T10:00:00Z"
        parser.add_argument("--at", metavar="TIME", type=_time, help=at)
        verify = "check every decision and every digest"
        parser.add_argument("--verify", action="store_true", help=verify)
        as_json = "print JSON, one object per line"
        parser.add_argument("--json", action="store_true", help=as_json)

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        if not args or args[0] == STDIN:
            raise WrongUse("no evidence given: pass a file or a folder of evidence")
        named, *urls = args
        if opts.verify and (urls or opts.at):
            raise WrongUse(
                "--verify takes one FILE or FOLDER, and neither URLs nor --at"
            )
        if not urls and not opts.verify:
            raise WrongUse("no URL given: pass URLs, or check everything with --verify")
        names = [it for it in expand([named]) if it == named or it.endswith(".gz")]
        if not names:
            shown = escape_control_chars(named, 300)
            raise WrongUse(f"the folder {shown} contains no evidence (*.jsonl.gz)")
        files = [EvidenceFile(name, verifies=opts.verify) for name in names]
        code = _verify(files, opts) if opts.verify else _find(files, urls, opts)
        return ExitCode.UNREAD if any(it.is_unread for it in files) else code


def _find(
    files: list["EvidenceFile"], urls: list[str], opts: argparse.Namespace
) -> int:
    # Evidence contains the URLs of requests, which Scrapy passes through `safe_url_string`.
    wanted = {url: _key(url) and _key(safe_url_string(url)) for url in urls}
    if odd := [url for url, key in wanted.items() if key is None]:
        shown = escape_control_chars(odd[0], 60)
        raise WrongUse(
            f"{shown!r} is not a URL: after one FILE or FOLDER, write https://host/path"
        )
    found: dict[object, Decision | None] = dict.fromkeys(wanted.values())
    terminal.print_notes("difference", _search(files, found, opts.at))
    paint = terminal.painter(opts.color)
    code = ExitCode.FINE
    for url, key in wanted.items():
        last = found[key]
        word = last.word if last else _NO_DECISION
        of_word, style = _DECISIONS.get(word, _OTHER)
        code = max(code, of_word)
        if opts.json:
            plain = last and {
                "decision": last.values,
                "robots": last.about,
                "file": last.file,
            }
            terminal.print_json({"url": url} | (plain or {}))
            continue
        shown = redact_and_escape(url, WIDTH - _MARGIN)
        terminal.print_line(f"{paint(f'{word:11}', style)}  {shown}")
        for line in wrap_and_escape(last.words if last else "", WIDTH - _MARGIN):
            terminal.print_line(" " * _MARGIN + line)
    return code


def _search(
    files: list["EvidenceFile"],
    found: dict[object, "Decision | None"],
    limit: datetime | None,
) -> Iterator[str]:
    """Map each key of *found* to its last decision up to the time *limit*, and yield a sentence for
    each difference.
    """
    for file in files:
        for event in file.events():
            if isinstance(event, str):
                yield event
            elif limit is None or event.time <= limit:
                key = _key(event.values["url"])
                last = found.get(key)
                if key in found and (last is None or event.time >= last.time):
                    found[key] = event


def _verify(files: list["EvidenceFile"], opts: argparse.Namespace) -> int:
    count = {"files": len(files), "decisions": 0, "answers": 0, "differences": 0}

    def differences() -> Iterator[str]:
        for file in files:
            for event in file.events():
                is_difference = isinstance(event, str)
                count["differences" if is_difference else "decisions"] += 1
                if isinstance(event, str):
                    yield event
            count["answers"] += len(file.answers)

    if opts.json:
        for text in differences():
            terminal.print_json({"difference": text})
        terminal.print_json(count)
    else:
        terminal.print_lines(terminal.capped(differences()))
        *parts, last = (
            f"{number:,} {what[:-1] if number == 1 else what}"
            for what, number in count.items()
        )
        terminal.print_line(f"{', '.join(parts)}: {last}")
    return ExitCode.FOUND if count["differences"] else ExitCode.FINE


@dataclass(frozen=True)
class Recorded:
    """The recorded answer of an origin to GET /robots.txt."""

    about: Values
    """The recorded values, without the body."""
    origin: Origin
    answer: "Answer"
    packed: bytes
    """The body, compressed because a crawl may record 100,000 bodies."""
    is_whole: bool
    """Whether the body matches the recorded digest."""

    @classmethod
    def of(cls, values: Values) -> "Recorded":
        """Raise one of `_ODD` if the *values* of a line are malformed."""
        from scrapy_robots1994.policy.answer import Answer  # noqa: PLC0415 - slow to import

        body = values.get("body_base64")
        raw = base64.b64decode(body or "", validate=True)
        if body is None:
            raw = (values.get("body") or "").encode()
        digest = values.get("sha256", hashlib.sha256(b"").hexdigest())
        answer = Answer(
            urls=tuple(_typed(it, str) for it in values["urls"]),
            status=_typed(values["status"], int, type(None)),
            is_truncated=_typed(values.get("truncated", False), bool),
            fetched_at=utc_time(values["fetched"]).timestamp(),
            via_proxy=_typed(values.get("via_proxy", False), bool),
            failure=_typed(values.get("failure"), str, type(None)),
        )
        if answer.outcome.value != values["outcome"]:
            raise ValueError(f"the outcome would be {answer.outcome.value}")
        origin = Origin.of(_typed(values["origin"], str))
        if origin is None:
            raise ValueError("origin")
        about = {name: it for name, it in values.items() if name[:4] != "body"}
        is_whole = hashlib.sha256(raw).hexdigest() == digest
        return cls(about, origin, answer, zlib.compress(raw, 1), is_whole)


@dataclass(frozen=True)
class Decision:
    """A recorded decision about a URL. *about* describes the answer on which the decision is based,
    or is None if the evidence does not contain that answer.
    """

    values: Values
    about: Values | None
    file: str
    time: datetime

    @property
    def word(self) -> str:
        return escape_control_chars(str(self.values.get("decision")), 20)

    @property
    def words(self) -> str:
        """The time and the reason in one sentence."""
        values, about = self.values, self.about
        text = f"{values['time']}: "
        if values.get("line") is not None:
            text += f'line {values["line"]}, "{values.get("rule")}"'
        else:
            text += str(values.get("reason"))
        if about is not None:
            status = about["status"]
            answer = "not in the HTTP cache" if status is None else f"HTTP {status}"
            how = about.get("failure") or answer
            text += f", of {about.get('url')} ({how}, {about['fetched']})"
        return redact_and_escape(f"{text} in {Path(self.file).name}", 2_000)


class EvidenceFile:
    """Reads the evidence in the file *name* and, if *verifies* is true, checks its decisions and
    digests.
    """

    def __init__(self, name: str, *, verifies: bool) -> None:
        self._name = name
        self._verifies = verifies
        self._crawl: Values = {}
        self._settings: RobotsSettings | None = None
        self._policies = LRUCache[int, "Policy"](MAX_PARSED_BYTES, _size_of)
        self.answers: dict[int, Recorded] = {}
        self.is_unread = False
        """Whether the file could not be read. A file whose end is missing counts as read."""

    def events(self) -> Iterator[Decision | str]:
        """Yield the decisions in order, and a sentence for each difference."""
        place = escape_control_chars(Path(self._name).name, 100)
        for number, line in enumerate(self._lines(), 1):
            text = ""
            try:
                for event in self._read(line):
                    if isinstance(event, Decision):
                        yield event
                    else:
                        text = redact_and_escape(event, 300)
                        yield f"{place}, line {number}: {text}"
            except _ODD as error:
                text = redact_and_escape(f"{type(error).__name__}: {error}", 300)
                yield f"{place}, line {number}: not valid evidence ({text})"
        if not self._crawl and not self.is_unread:
            yield f"{place}: the line about the crawl is missing"

    def _lines(self) -> Iterator[bytes | None]:
        try:
            yield from _lines_of(Path(self._name))
        except (OSError, EOFError, zlib.error) as error:
            # If the file ends after one byte of a gzip member, the error is not an `EOFError`.
            is_cut = isinstance(error, EOFError) or str(error).endswith(r"(b'\x1f')")
            why = why_unread(error) if isinstance(error, OSError) else str(error)
            if is_cut:
                why = (
                    "the file is cut off, perhaps because the crawl was killed; the lines "
                    "before the cut are read"
                )
            self.is_unread = not is_cut
            terminal.print_note(f"{redact_and_escape(self._name)}: {why}")

    def _read(self, line: bytes | None) -> Iterator[Decision | str]:
        if line is None:
            yield f"the line exceeds {MAX_LINE_BYTES:,} bytes, so it is not read"
            return
        # Evidence has no fractions. Read as text, NaN and 1e999 can be printed as JSON again.
        read = json.loads(line, parse_float=str, parse_constant=str)
        ((kind, values),) = read.items()
        values = {**values}
        if kind == "crawl":
            yield from self._begin(values)
        elif kind == "robots":
            number, answer = _typed(values["id"], int), Recorded.of(values)
            if number in self.answers:
                yield f"a second answer with the id {number}"
            self.answers[number] = answer
            if self._verifies and not answer.is_whole:
                yield f"the body of {answer.origin} does not match its sha256"
            url, right = values.get("url"), answer.origin.robots_url
            if self._verifies and url != right:
                yield f"the URL is {url!r}, but should be {right!r}"
        elif kind == "decision":
            _typed(values["url"], str)
            decided = self.answers.get(values["robots"])
            about = decided.about if decided else None
            yield Decision(values, about, self._name, utc_time(values["time"]))
            if self._verifies:
                yield from self._differences(values, decided)
        else:
            raise ValueError("neither a crawl, nor an answer, nor a decision")

    def _begin(self, values: Values) -> Iterator[str]:
        from scrapy_robots1994.crawl.features.evidence import (  # noqa: PLC0415 - slow to import
            FORMAT,
            read_settings,
        )

        if self._crawl:
            raise ValueError("a second line about the crawl")
        if (version := values.get("format")) != FORMAT:
            shown = escape_control_chars(str(version), 20)
            raise Unreadable(
                f"{escape_control_chars(self._name, 200)} has format {shown}, but this "
                f"version reads format {FORMAT}: use the version of scrapy_robots1994 that wrote it"
            )
        self._crawl = values
        texts, faults = _typed(values["settings"], dict), list[str]()
        self._settings = read_settings(texts, faults.append)
        yield from faults

    def _differences(self, values: Values, answer: Recorded | None) -> Iterator[str]:
        """Decide again with *answer*, and yield the differences from the recorded decision."""
        from scrapy_robots1994.crawl.features.evidence import decision_of  # noqa: PLC0415 - slow to import

        url, settings = values["url"], self._settings
        if values.get("decision") in {"failed", "exempt"}:
            return
        if answer is None:
            yield f"{url}: the answer behind the decision is missing"
            return
        if answer.origin != Origin.of(url):
            yield f"{url}: answer {values['robots']} is from another origin: {answer.origin}"
            return
        robot = values.get("robot", self._crawl.get("robot"))
        if not isinstance(robot, str) or len(robot) > MAX_ROBOT or settings is None:
            yield f"{url}: no robot"
            return
        policy = self._policy_of(values["robots"], answer, settings)
        verdict = policy.rules(robot).verdict(url)
        word = "allowed" if verdict.allowed else "refused"
        again = {"decision": word} | decision_of(policy, url, robot, verdict, settings)
        for name, value in again.items():
            if values.get(name) != value:
                yield f"{url}: {name} is {values.get(name)!r}, but should be {value!r}"

    def _policy_of(
        self, number: int, recorded: Recorded, settings: "RobotsSettings"
    ) -> "Policy":
        from scrapy_robots1994.policy.policy import policy_from  # noqa: PLC0415 - slow to import

        if number not in self._policies:
            answer = recorded.answer._replace(body=zlib.decompress(recorded.packed))
            self._policies[number] = policy_from(
                recorded.origin, answer, settings.new_reader(), settings.freshness
            )
        return self._policies[number]


def _time(text: str) -> datetime:
    try:
        return utc_time(text)
    except ValueError:
        example = "write it as in 2026-11-23T10:00:00Z"
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: {example}") from None


def _lines_of(path: Path) -> Iterator[bytes | None]:
    """Yield each line, or None in place of a line that is too long."""
    if path.exists() and not path.is_file():
        raise OSError("not a regular file")
    with gzip.open(path) as file:
        while line := file.readline(MAX_LINE_BYTES):
            is_whole = len(line) < MAX_LINE_BYTES or line.endswith(b"\n")
            yield line if is_whole else None
            while not is_whole:
                line = file.readline(MAX_LINE_BYTES)
                is_whole = not line or line.endswith(b"\n")


def _size_of(policy: "Policy") -> int:
    return max(policy.stated.size + len(policy.failure or ""), MIN_PARSED_BYTES)


def _typed(value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{type(value).__name__} instead of {kinds[0].__name__}")
    return value


def _key(url: str) -> tuple[Origin, str] | None:
    # The case of the host, a default port, credentials and the fragment do not matter.
    origin = Origin.of(url)
    return None if origin is None else (origin, target_of(url))


def utc_time(text: str) -> datetime:
    """Parse an ISO 8601 time, in UTC if it has no offset. Raise `ValueError` if it is invalid."""
    # Python 3.10 does not accept "Z".
    at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)
