"""The command `scrapy robots-evidence`, which reads what `ROBOTS1994_EVIDENCE` wrote.

Evidence is data of others: nothing that it names is opened, and what is odd in it is a
difference.
"""

import argparse
import base64
import gzip
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, TypeAlias

from cachetools import LRUCache

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.inputs import expand, why_unread
from scrapy_robots1994.commands.terminal import (
    WIDTH,
    CappedLines,
    ExitCode,
    Unreadable,
    WrongUse,
)
from scrapy_robots1994.escaping import (
    escape_control_chars,
    redact_and_escape,
    wrap_and_escape,
)
from scrapy_robots1994.origin import Origin, target_of

MAX_LINE_BYTES = 8_000_000
"""Bytes of a line that is read. A body of 512,000 bytes takes at most 3 MB."""

MAX_PARSED = 200
"""Parsed files that are kept in memory."""

SKIPPED_AT_ONCE = 1_000_000

Report: TypeAlias = Callable[[str], object]

_WORDS = {"allowed": "32", "refused": "31", "declined": "31", "failed": "33"}


class RobotsEvidence(RobotsCommand):
    """The command `scrapy robots-evidence`."""

    help_text = """Say what a crawl decided about URLs, from its evidence.

    Say for each URL what a crawl with ROBOTS1994_EVIDENCE decided, when, and by
    which line of which robots.txt. FILE is a file of evidence, and FOLDER means all
    such files under it. With --verify, read each recorded robots.txt again, and
    report each digest, decision, line and rule that differs. Nothing is fetched.

    examples:
      scrapy robots-evidence evidence/ https://example.com/archive/7
      scrapy robots-evidence evidence/ https://example.com/ --at 2026-11-23T10:00:00Z
      scrapy robots-evidence evidence/ --verify
    """
    arguments = "FILE|FOLDER [URL...]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `robots-evidence`."""
        super().add_options(parser)
        at = "the last decision up to TIME, for example 2026-11-23T10:00:00Z"
        terminal.adder(parser)("--at", metavar="TIME", help=at)
        verify = "check every decision and every digest"
        parser.add_argument("--verify", action="store_true", help=verify)
        as_json = "print JSON, one object per line"
        parser.add_argument("--json", action="store_true", help=as_json)

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Read the evidence, print the decisions or the differences, and return the exit
        code.
        """
        if not args:
            raise WrongUse("no evidence given: name a file or a folder of evidence")
        named, *urls = args
        names = [it for it in expand([named]) if it == named or it.endswith(".gz")]
        if not names:
            shown = escape_control_chars(named, 300)
            raise WrongUse(f"no evidence (*.jsonl.gz) is in the folder {shown}")
        if opts.verify:
            if urls or opts.at:
                raise WrongUse(
                    "--verify checks all decisions: leave the URLs and --at out"
                )
            return self._verify(names, as_json=opts.json)
        if not urls:
            raise WrongUse("no URL given: name URLs, or check everything with --verify")
        return self._find(names, urls, opts)

    def _find(
        self, names: list[str], urls: list[str], opts: argparse.Namespace
    ) -> ExitCode:
        limit = time_of(opts.at)
        wanted = {url: _key(url) for url in urls}
        if odd := [url for url, key in wanted.items() if key is None]:
            shown = escape_control_chars(odd[0], 60)
            raise WrongUse(f"{shown!r} is not a URL: write https://host/path")
        found: dict[object, tuple[datetime, Decision]] = {}
        asked = set(wanted.values())
        differences = CappedLines(lambda it: terminal.print_note(f"difference: {it}"))
        is_unread = False
        for name in names:
            file = EvidenceFile(name, differences.add)
            for decision in file.decisions():
                key = _key(decision.values["url"])
                at = _parsed(decision.values.get("time"))
                if key not in asked or (limit and (at is None or at > limit)):
                    continue
                at = at or datetime.min.replace(tzinfo=timezone.utc)
                if key not in found or at >= found[key][0]:
                    found[key] = at, decision
            is_unread |= file.is_unread
        differences.end()
        paint = terminal.painter(opts.color)
        codes = [ExitCode.UNREAD] * is_unread
        for url, key in wanted.items():
            last = found[key][1] if key in found else None
            codes.append(ExitCode.UNREAD if last is None else last.exit_code)
            if opts.json:
                shown_json = {"url": url} if last is None else last.as_json(url)
                terminal.print_json(shown_json)
                continue
            word = "no decision" if last is None else last.word
            shown = redact_and_escape(url, WIDTH - 13)
            terminal.print_line(
                f"{paint(f'{word:11}', _WORDS.get(word, '33'))}  {shown}"
            )
            for line in wrap_and_escape("" if last is None else last.words, WIDTH - 13):
                terminal.print_line(" " * 13 + line)
        return max(codes)

    def _verify(self, names: list[str], *, as_json: bool) -> ExitCode:
        differences = CappedLines(terminal.print_line)
        if as_json:
            differences = CappedLines(
                lambda it: terminal.print_json({"difference": it}), limit=10**9
            )
        decisions = answers = 0
        is_unread = False
        for name in names:
            file = EvidenceFile(name, differences.add, verifies=True)
            for decision in file.decisions():
                decisions += 1
                for text in decision.differences():
                    file.report(text)
            answers += file.answers
            is_unread |= file.is_unread
        differences.end()
        count = differences.count
        if as_json:
            counts = {"files": len(names), "decisions": decisions, "answers": answers}
            terminal.print_json(counts | {"differences": count})
        else:
            terminal.print_line(
                f"{len(names):,} files, {decisions:,} decisions, {answers:,} answers: "
                f"{count:,} differences"
            )
        if is_unread:
            return ExitCode.UNREAD
        return ExitCode.FOUND if count else ExitCode.FINE


@dataclass
class EvidenceFile:
    """One file of evidence, read once from its start. *on_difference* gets a sentence for
    each line that is odd, and with *verifies* for each wrong digest.
    """

    name: str
    on_difference: Report
    verifies: bool = False
    is_unread: bool = False
    answers: int = 0
    number: int = 0
    crawl: dict[str, Any] = field(default_factory=dict)
    robots: dict[int, "RecordedAnswer"] = field(default_factory=dict)

    def report(self, text: str) -> None:
        """Report a difference in the line that was read last."""
        shown = escape_control_chars(os.path.basename(self.name), 100)  # noqa: PTH119 - no path is made
        self.on_difference(
            f"{shown}, line {self.number}: {redact_and_escape(text, 300)}"
        )

    def decisions(self) -> Iterator["Decision"]:
        """Yield the decisions in their order, and read all other lines on the way."""
        self.settings: Any = None
        self._policies: LRUCache[int, Any] = LRUCache(MAX_PARSED)
        for line in self._lines():
            self.number += 1
            if line is None:
                self.report(
                    f"the line exceeds {MAX_LINE_BYTES:,} bytes; it is not read"
                )
                continue
            try:
                # RecursionError: deeply nested. ValueError: no JSON, a number too long.
                ((kind, values),) = json.loads(line).items()
                values = {**values}
            except (ValueError, TypeError, AttributeError, RecursionError):
                self.report("not an object with one key")
                continue
            if kind == "crawl":
                self._begin(values)
            elif kind == "robots":
                self._add(values)
            elif kind == "decision" and isinstance(values.get("url"), str):
                yield Decision(self, values)
            else:
                self.report("neither a crawl, nor an answer, nor a decision")
        if not self.crawl and not self.is_unread:
            self.report("the line about the crawl is missing")

    def _lines(self) -> Iterator[bytes | None]:
        """Yield the lines, and None for a line that is too long."""
        shown = redact_and_escape(self.name)
        # Not blocking: the name may be of a pipe.
        flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            opened = os.open(self.name, os.O_RDONLY | flags)
            with os.fdopen(opened, "rb") as raw:
                if not stat.S_ISREG(os.fstat(opened).st_mode):
                    self.is_unread = True
                    terminal.print_note(f"{shown}: not a regular file")
                    return
                yield from self._unpacked(raw)
        except EOFError:
            terminal.print_note(
                f"{shown}: the end is missing, as after a kill; the lines before it are read"
            )
        except (OSError, zlib.error) as error:
            self.is_unread = True
            why = why_unread(error) if isinstance(error, OSError) else str(error)
            terminal.print_note(f"{shown}: {why}")

    @staticmethod
    def _unpacked(raw: Any) -> Iterator[bytes | None]:
        with gzip.open(raw) as file:
            while line := file.readline(MAX_LINE_BYTES):
                if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
                    yield line
                    continue
                while (rest := file.readline(SKIPPED_AT_ONCE)) and rest[-1:] != b"\n":
                    pass
                yield None

    def _begin(self, values: dict[str, Any]) -> None:
        # Imported late: Scrapy loads this module for every command.
        from scrapy_robots1994.crawl.features.evidence import FORMAT  # noqa: PLC0415 - slow to import
        from scrapy_robots1994.crawl.settings import RobotsSettings  # noqa: PLC0415 - slow to import

        if self.crawl:
            self.report("a second line about the crawl")
            return
        if (version := values.get("format")) != FORMAT:
            shown = escape_control_chars(str(version), 20)
            raise Unreadable(
                f"{escape_control_chars(self.name, 200)} has the format {shown}, and this "
                f"version reads {FORMAT}: use the version of scrapy_robots1994 that wrote it"
            )
        self.crawl = values
        texts = values.get("settings")
        if not isinstance(texts, dict):
            self.report("no settings")
            texts = {}
        self.settings = RobotsSettings.from_recorded(texts, self.report)

    def _add(self, values: dict[str, Any]) -> None:
        self.answers += 1
        try:
            answer = RecordedAnswer(values)
        except (KeyError, ValueError, TypeError) as error:
            self.report(f"no answer: {type(error).__name__} {error}")
            return
        if answer.number in self.robots:
            self.report(f"a second answer with the id {answer.number}")
        self.robots[answer.number] = answer
        if self.verifies and not answer.is_whole:
            self.report(f"the body of {answer.origin} does not have its sha256")

    def policy_of(self, number: int) -> Any:
        """Return the policy that follows from the answer with the id *number*."""
        from scrapy_robots1994.policy.policy import policy_from  # noqa: PLC0415 - slow to import

        if number not in self._policies:
            answer, settings = self.robots[number], self.settings
            made = answer.as_answer()
            now = made.fetched_at
            self._policies[number] = policy_from(
                answer.origin, made, settings.new_reader(), now, settings.freshness
            )
        return self._policies[number]


class RecordedAnswer:
    """What an origin said. Raises ValueError, KeyError or TypeError for values of other
    types.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        body = values.get("body")
        text = values.get("body_base64")
        raw = b""
        if body is not None:
            raw = body.encode("utf-8")
        elif text is not None:
            raw = base64.b64decode(text, validate=True)
        self.is_whole = hashlib.sha256(raw).hexdigest() == values.get(
            "sha256", hashlib.sha256(b"").hexdigest()
        )
        # Packed: a crawl has a hundred thousand of them.
        self._packed = zlib.compress(raw, 1)
        self.number = _typed(values["id"], int)
        origin = Origin.of(_typed(values["origin"], str))
        if origin is None:
            raise ValueError("origin")
        self.origin = origin
        self.values = {k: v for k, v in values.items() if k[:4] != "body"}
        self.as_answer()

    def as_answer(self) -> Any:
        """Return the `Answer`."""
        from scrapy_robots1994.policy.answer import Answer  # noqa: PLC0415 - slow to import

        values = self.values
        fetched = _parsed(values["fetched"])
        if fetched is None:
            raise ValueError("fetched")
        answer = Answer(
            urls=tuple(_typed(it, str) for it in values["urls"]),
            status=_typed(values["status"], int, type(None)),
            body=zlib.decompress(self._packed),
            is_truncated=_typed(values.get("truncated", False), bool),
            fetched_at=fetched.timestamp(),
            via_proxy=_typed(values.get("via_proxy", False), bool),
            failure=_typed(values.get("failure"), str, type(None)),
        )
        if answer.outcome.value != values["outcome"]:
            raise ValueError(f"the outcome would be {answer.outcome.value}")
        return answer


@dataclass(frozen=True)
class Decision:
    """One decision in *file*. The answer that decided is above it."""

    file: EvidenceFile
    values: dict[str, Any]

    @property
    def word(self) -> str:
        """The decision, such as "refused"."""
        return escape_control_chars(str(self.values.get("decision")), 20)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a command that asks for this decision."""
        if self.word in {"allowed", "exempt"}:
            return ExitCode.FINE
        return ExitCode.UNREAD if self.word == "failed" else ExitCode.FOUND

    @property
    def _answer(self) -> RecordedAnswer | None:
        number = self.values.get("robots")
        return self.file.robots.get(number) if isinstance(number, int) else None

    @property
    def words(self) -> str:
        """When and why, in one sentence."""
        values, answer = self.values, self._answer
        text = f"{values.get('time')}: "
        if values.get("line") is not None:
            text += f'line {values["line"]}, "{values.get("rule")}"'
        else:
            text += str(values.get("reason"))
        if answer is not None:
            about = answer.values
            status = about.get("status")
            how = about.get("failure") or f"HTTP {status}"
            text += f", of {about.get('url')} ({how}, {about.get('fetched')})"
        name = os.path.basename(self.file.name)  # noqa: PTH119 - no path is made
        return redact_and_escape(f"{text} in {name}", 2_000)

    def as_json(self, url: str) -> dict[str, Any]:
        """Return the decision and what decided, without the body."""
        answer = self._answer
        return {
            "url": url,
            "decision": self.values,
            "robots": answer and answer.values,
            "file": self.file.name,
        }

    def differences(self) -> Iterator[str]:
        """Yield what differs if the answer is read again."""
        from scrapy_robots1994.crawl.features.evidence import decision_of  # noqa: PLC0415 - slow to import

        values, url = self.values, self.values["url"]
        said = values.get("decision")
        if said in {"failed", "exempt"}:
            return
        answer = self._answer
        if answer is None:
            yield f"{url}: the answer that decided is missing"
            return
        if answer.origin != Origin.of(url):
            yield f"{url}: the answer {answer.number} is of {answer.origin}"
            return
        robot = values.get("robot", self.file.crawl.get("robot"))
        if not isinstance(robot, str) or not self.file.crawl:
            yield f"{url}: no robot"
            return
        policy, settings = self.file.policy_of(answer.number), self.file.settings
        verdict = policy.rules(robot).verdict(url)
        word = "allowed" if verdict.allowed else "refused"
        again = {"decision": word} | decision_of(policy, url, robot, verdict, settings)
        for name, value in again.items():
            if values.get(name) != value:
                yield f"{url}: {name} is {values.get(name)!r}, but {value!r} follows"


def _typed(value: Any, *kinds: type) -> Any:
    # A bool is an int.
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{type(value).__name__} instead of {kinds[0].__name__}")
    return value


def _key(url: str) -> tuple[Origin, str] | None:
    """Return what *url* asks for: case and default port of its origin, credentials and
    fragment do not count.
    """
    origin = Origin.of(url)
    return None if origin is None else (origin, target_of(url))


def _parsed(text: object) -> datetime | None:
    try:
        # Python 3.10 reads no "Z".
        at = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


def time_of(text: str | None) -> datetime | None:
    """Return the time that --at states. Raise `WrongUse` if *text* is no time."""
    at = _parsed(text) if text is not None else None
    if text is not None and at is None:
        shown = escape_control_chars(text, 40)
        raise WrongUse(f"--at {shown!r} is not a time: write 2026-11-23T10:00:00Z")
    return at
