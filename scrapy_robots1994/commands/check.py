"""The command `scrapy robots-check`: does robots.txt allow these URLs?"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.commands import inputs, terminal
from scrapy_robots1994.commands.base import PolicyCommand, project_notes
from scrapy_robots1994.commands.inputs import PolicySource
from scrapy_robots1994.commands.terminal import WIDTH, ExitCode, Paint, WrongUse
from scrapy_robots1994.errors import MissingExtra
from scrapy_robots1994.escaping import (
    escape_control_chars,
    redact_and_escape,
    redact_credentials,
    wrap_and_escape,
)
from scrapy_robots1994.origin import Origin, is_http
from scrapy_robots1994.parser import Rules, Verdict
from scrapy_robots1994.parser.body import decode
from scrapy_robots1994.parser.user_agent import describe_names
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.parser.usage import Statement, Usage

# The width of the verdict column
_MARGIN = 12
_STYLES = {"allowed": "32", "disallowed": "31", "unknown": "33"}


class RobotsCheck(PolicyCommand):
    help_text = """Say whether robots.txt allows URLs, and which line decides.

    Say for each URL whether the robot of the project may retrieve it, and which line
    of robots.txt decides. Give the URLs as arguments, in a file (--urls) or on
    standard input (-). Without --robots, the robots.txt of each origin is fetched
    as in a crawl, with the downloader and the settings of the project. Each verdict
    is printed as soon as the origin of the URL has answered.

    examples:
      scrapy robots-check https://example.com/ https://example.com/private/x
      scrapy robots-check --robot mybot --urls urls.txt
      scrapy robots-check --robots draft.txt --explain /private/x
    """
    arguments = "URL..."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from scrapy_robots1994.parser.usage import PURPOSES  # noqa: PLC0415 - imported only when needed

        super().add_options(parser)
        add, with_value = parser.add_argument, terminal.adder(parser)
        robot = "check for this robot, given as a name or a whole User-Agent header"
        with_value("--robot", metavar="NAME", help=robot)
        with_value(
            "--robots",
            metavar="FILE|URL|-",
            help="read robots.txt from a file, a URL, or - for standard input; the URLs "
            "to check may then be paths",
        )
        add(
            "--refresh",
            action="store_true",
            help="fetch robots.txt even if the store has it, and update the store",
        )
        urls = "a file with one URL per line, or - for standard input"
        with_value("--urls", metavar="FILE", help=urls)
        with_value(
            "--purpose",
            action="append",
            choices=PURPOSES,
            help="a purpose of the crawl; may be repeated; the exit code is 1 if robots.txt "
            "disallows it for a URL",
        )
        add("--explain", action="store_true", help="print the reason below each URL")
        add("--json", action="store_true", help="print JSON, one object per line")

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        from scrapy_robots1994.parser.usage import http_sf  # noqa: PLC0415 - imported only when needed

        if opts.robot:
            name = "ROBOTSTXT_USER_AGENT"
            self.settings.set(name, opts.robot, priority="cmdline")
        inputs.refuse_twice([opts.robots], (*args, opts.urls))
        self._opts = opts
        self._paint = terminal.painter(opts.color)
        self._lookup = self.lookup(opts)
        self._lookup.refreshes = opts.refresh
        # By default, the purposes for which the project's crawl refuses requests
        self._purposes = opts.purpose or self._lookup.settings.request_purposes
        if opts.purpose:
            http_sf()
        self._counts: Counter[str] = Counter()
        self._not_for = 0
        wanted = defaultdict[str, list[str]](list)
        exempt: list[Row] = []
        for url in inputs.urls_from(args, opts.urls):
            if reason := self._exemption(url):
                exempt.append(Row(url, exemption=reason))
            else:
                wanted[opts.robots or f"{Origin.of(url)}/robots.txt"].append(url)
        for note in project_notes(self.settings):
            terminal.print_note(note)
        for row in exempt:
            self._print(row)
        self._lookup.run(
            wanted, lambda it: self._add(it, wanted[it.name]), self._print_end
        )
        if self._counts["unknown"]:
            return ExitCode.UNREAD
        is_found = self._counts["disallowed"] or self._not_for
        return ExitCode.FOUND if is_found else ExitCode.FINE

    def _exemption(self, url: str) -> str:
        """Return why a crawl does not check *url*, or "". Raise `WrongUse` if *url* is neither a
        URL nor, with `--robots`, a path.
        """
        from scrapy_robots1994.crawl.requests import Exemption, exemption_of  # noqa: PLC0415 - slow to import

        is_path = url.startswith("/")
        if is_path and self._opts.robots:
            return ""
        exemption = exemption_of(url, Origin.of(url), {}, self._lookup.settings.exempt)
        is_word = is_path or "://" not in url
        if exemption is Exemption.NO_HOST or (
            exemption is Exemption.NOT_HTTP and is_word
        ):
            raise WrongUse(
                f"{escape_control_chars(url, 60)!r} is not a URL: write https://host/path, "
                "or with --robots also /path"
            )
        return exemption.value if exemption else ""

    def _add(self, source: PolicySource, urls: list[str]) -> None:
        if source.stated is None and not is_http(source.name):
            shown = escape_control_chars(source.name, 300)
            terminal.print_note(f"{shown}: {source.why}")
        for url in urls:
            self._print(Row.of(url, source, self._lookup.robot, self._purposes))

    def _print(self, row: "Row") -> None:
        # A URL counts as unknown if its robots.txt could not be fetched or read, even if a setting
        # then allows or disallows the URL.
        self._counts[row.word if row.is_known else "unknown"] += 1
        self._not_for += row.forbidden is not None
        if self._opts.json:
            terminal.print_json(row.as_json())
        else:
            lines = row.lines(self._paint, explain=self._opts.explain)
            terminal.print_lines(lines)

    def _print_end(self) -> None:
        if self._opts.json:
            return
        robot = self._lookup.robot
        name = decode(robot) if isinstance(robot, bytes) else robot
        by, names = f'as "{escape_control_chars(name, 60)}"', describe_names(robot)
        if self._opts.explain and names:
            terminal.print_lines(wrap_and_escape(names, WIDTH))
        allowed, disallowed, unknown = (self._counts[word] for word in _STYLES)
        total = f"{allowed:,} allowed, {disallowed:,} disallowed"
        if unknown:
            total += f"; policy not known for {unknown:,}"
        if self._purposes:
            total += f"; {self._not_for:,} not for {' or '.join(self._purposes)}"
        terminal.print_line(f"{total}; checked {by}")


@dataclass(frozen=True, slots=True)
class Row:
    """The result for one URL. If a crawl does not check *url*, *exemption* is the reason, and
    *source* is None.
    """

    url: str
    source: PolicySource | None = None
    exemption: str = ""
    rules: Rules | None = None
    verdict: Verdict | None = None
    rfc9309: Verdict | None = None
    """The verdict in the dialect rfc9309, if it contradicts *verdict*."""
    usage: "Usage | None" = None
    forbidden: "Statement | None" = None
    """The usage preference that disallows one of the crawl's purposes. None if there is no such
    preference, or if *verdict* disallows the URL anyway.
    """

    @classmethod
    def of(
        cls,
        url: str,
        source: PolicySource,
        robot: str | bytes,
        purposes: Collection[str],
    ) -> "Row":
        if source.stated is None:
            return cls(url, source)
        rules = source.stated.rules(robot)
        verdict, other, usage = rules.verdict(url), None, None
        if source.rfc9309 is not None:
            other = source.rfc9309.rules(robot).verdict(url)
        if other and other.allowed == verdict.allowed:
            other = None
        if isinstance(source.stated, RobotsTxt):
            # `_reasons` reports the missing extra.
            with suppress(MissingExtra):
                usage = source.stated.usage(url, robot)
        forbidden = usage.forbids(purposes) if usage and verdict.allowed else None
        return cls(url, source, "", rules, verdict, other, usage, forbidden)

    @property
    def is_known(self) -> bool:
        """Whether the policy is known, or not needed."""
        return self.source is None or self.source.is_known

    @property
    def word(self) -> str:
        """The verdict: "allowed", "disallowed" or "unknown"."""
        if self.verdict is None:
            return "unknown" if self.source else "allowed"
        return "allowed" if self.verdict.allowed else "disallowed"

    def lines(self, paint: Paint, *, explain: bool) -> Iterator[str]:
        """Yield the verdict with a short note, or with reasons below it if *explain* is true."""
        note = "" if explain else self._note()
        word = paint(f"{self.word:{_MARGIN}}", _STYLES[self.word])
        width = WIDTH - _MARGIN - len(note)
        yield f"{word}{redact_and_escape(self.url, width)}{note}"
        for text in self._reasons() if explain else ():
            for line in wrap_and_escape(text, WIDTH - _MARGIN):
                yield " " * _MARGIN + line

    def _note(self) -> str:
        source, verdict = self.source, self.verdict
        if source is None:
            return "  not checked"
        words = []
        if verdict and verdict.failure:
            failure = verdict.failure
            if failure.startswith("redirected to "):
                failure = failure.partition(", ")[2]
            words.append(failure.partition(":")[0])
        elif verdict and verdict.status is not None:
            words.append(f"HTTP {verdict.status}")
        elif not source.is_known:
            words.append("no answer" if is_http(source.name) else "not read")
        if verdict and verdict.line is not None:
            words.append(f"line {verdict.line}")
        if self.forbidden:
            words.append(f"not for {self.forbidden.purpose}")
        if _is_truncated(source):
            words.append("truncated")
        if self.rfc9309:
            words.append("rfc9309 differs")
        return f"  {', '.join(words)}" * bool(words)

    def _reasons(self) -> Iterator[str]:
        source = self.source
        if source is None:
            yield f"not checked: {self.exemption}"
            return
        name = redact_and_escape(source.name, 60)
        effect = ""
        row = source.policy.outcome.row if source.policy else None
        if row and row.setting and self.verdict is not None:
            effect = row.effect(is_open=self.verdict.allowed)
            effect = f"; all URLs of the origin {effect}"
        if source.why:
            yield f"{name}: {source.why}{effect}"
        elif self.verdict is not None:
            whole = self.verdict.explain()
            because = whole.removeprefix(self.word).removeprefix(":").strip()
            yield f"{because}{effect} [{name}]"
            if self.rules and self.rules.ignored:
                ignored = self.rules.ignored
                yield f"ignored or taken literally in this dialect: {ignored}"
        if _is_truncated(source):
            # Ours O24
            yield (
                "the file is longer than ROBOTS1994_MAX_BYTES: only the whole lines within this "
                "limit are obeyed"
            )
        if self.rfc9309:
            yield (
                f"the dialect rfc9309 says: {self.rfc9309}; to obey that decision, set "
                'ROBOTS1994_DIALECT = "rfc9309"'
            )
        yield from _usage_reasons(self.usage, source)

    def as_json(self) -> dict[str, Any]:
        source = self.source
        return {
            "url": self.url,
            "allowed": self.word == "allowed",
            "is_known": self.is_known,
            "source": source and redact_credentials(source.name),
            "outcome": source and source.outcome,
            "status": source and source.status,
            "is_truncated": source is not None and _is_truncated(source),
            "why": (source.why if source else self.exemption) or None,
            "verdict": _verdict_as_json(self.verdict),
            "rfc9309": _verdict_as_json(self.rfc9309),
            "usage": self.usage and asdict(self.usage),
        }


def _is_truncated(source: PolicySource) -> bool:
    return isinstance(source.stated, RobotsTxt) and source.stated.is_truncated


def _usage_reasons(usage: "Usage | None", source: PolicySource) -> Iterator[str]:
    from scrapy_robots1994.parser.usage import LABELS, why_unread  # noqa: PLC0415 - rarely needed

    if usage is None:
        if isinstance(source.stated, RobotsTxt) and (
            why := why_unread(source.stated.text)
        ):
            yield f"usage: {why}"
        return
    if not (usage.statements or usage.licenses or usage.not_understood):
        return
    # The most restrictive statement for a purpose counts.
    said = {
        it.purpose: f"{it.answer.value} ({it.where.removeprefix('robots.txt ')}: {it.term})"
        for it in reversed(usage.statements)
        if it.answer is usage[it.purpose]
    }
    # All purposes except TDM, which only pages can disallow
    purposes = dict.fromkeys(it.purpose for it in LABELS)
    answers = [f"{it} {said.get(it, 'unstated')}" for it in purposes]
    answers += [f"licence {it}" for it in usage.licenses]
    yield f"usage: {'; '.join(answers)}"
    for odd in usage.not_understood:
        yield f"usage: not understood: {odd}"


def _verdict_as_json(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    record = verdict.record
    named = ("names", "first_line", "last_line")
    return {
        "allowed": verdict.allowed,
        "reason": verdict.reason.value,
        "dialect": verdict.dialect,
        "line": verdict.line,
        "rule": verdict.rule,
        "record": record and {name: getattr(record, name) for name in named},
        "explanation": verdict.explain(),
    }
