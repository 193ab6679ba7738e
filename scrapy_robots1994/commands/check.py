"""The command `scrapy robots-check`, which reports whether robots.txt allows URLs."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.commands import inputs, terminal
from scrapy_robots1994.commands.base import RobotsCommand, project_notes
from scrapy_robots1994.commands.terminal import (
    WIDTH,
    ExitCode,
    Paint,
    WrongUse,
)
from scrapy_robots1994.errors import MissingExtra, SettingsError
from scrapy_robots1994.escaping import (
    escape_control_chars,
    redact_and_escape,
    redact_credentials,
    wrap_and_escape,
)
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Verdict
from scrapy_robots1994.parser.body import decode
from scrapy_robots1994.parser.user_agent import describe_names
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.parser.usage import Statement, Usage

# The output pads the word of a verdict to this number of characters.
_MARGIN = 12
# `_counts[_NOT_FOR]` is the number of allowed URLs whose use robots.txt disallows for at
# least one purpose in `_purposes`.
_NOT_FOR = "not for a purpose"
# `_STYLES` maps each verdict to its ANSI colour code (green, red or yellow).
_STYLES = {"allowed": "32", "disallowed": "31", "unknown": "33"}


class RobotsCheck(RobotsCommand):
    """The command `scrapy robots-check`."""

    help_text = """Say whether robots.txt allows URLs, and which line decides.

    Say for each URL whether robots.txt allows it for the robot of the project, and
    which line decides. The URLs are arguments, or lines of a file (--urls) or of
    standard input (-). The robots.txt of each origin is fetched with the downloader
    and the settings of the project, as in a crawl, unless --robots names a file.
    Each verdict is printed as soon as the origin of the URL has answered.

    examples:
      scrapy robots-check https://example.com/ https://example.com/private/x
      scrapy robots-check --robot mybot --urls urls.txt
      scrapy robots-check --robots draft.txt --explain /private/x
    """
    arguments = "URL..."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of `robots-check`."""
        super().add_options(parser)
        add, with_value = parser.add_argument, terminal.adder(parser)
        robot = "check for this robot, given as a name or a whole User-Agent header"
        with_value("--robot", metavar="NAME", help=robot)
        with_value(
            "--robots",
            metavar="FILE|URL|-",
            help="read robots.txt from a file, a URL, or - for standard input; URLs may "
            "then be paths",
        )
        add(
            "--refresh",
            action="store_true",
            help="fetch anew, and put the answers into the store of the project",
        )
        urls = "a file with one URL per line, or - for standard input"
        with_value("--urls", metavar="FILE", help=urls)
        with_value(
            "--purpose",
            action="append",
            default=[],
            metavar="PURPOSE",
            help="a use of the pages, such as train-ai (may be repeated); if robots.txt "
            "disallows this use, the exit code is the same as for a disallowed URL",
        )
        add("--explain", action="store_true", help="print the reason below each URL")
        add("--json", action="store_true", help="print JSON, one object per line")

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Look up the policies, print the verdicts, and return the exit code."""
        if opts.robot:
            name = "ROBOTSTXT_USER_AGENT"
            self.settings.set(name, opts.robot, priority="cmdline")
        inputs.refuse_twice([opts.robots], (*args, opts.urls))
        self._opts = opts
        self._paint = terminal.painter(opts.color)
        self._lookup = self.lookup(opts)
        # Without --purpose, use the purposes for which the project's crawl refuses
        # requests. A crawl refuses requests for a purpose only if ROBOTS1994_USAGE is
        # "requests".
        self._purposes = (
            _purposes(opts.purpose) or self._lookup.settings.request_purposes
        )
        self._counts: Counter[str] = Counter()
        self._lookup.refreshes = opts.refresh
        urls = inputs.urls_from(args, opts.urls)
        exempt = {url: reason for url in urls if (reason := self._exemption(url))}
        self._check(urls, exempt)
        if self._counts["unknown"]:
            return ExitCode.UNREAD
        found = self._counts["disallowed"] or self._counts[_NOT_FOR]
        return ExitCode.FOUND if found else ExitCode.FINE

    def _check(self, urls: list[str], exempt: Mapping[str, str]) -> None:
        """Look up the policies for *urls*, and print the verdicts.

        The keys of *exempt* are the URLs that a crawl does not check. The values of
        *exempt* are the reasons why a crawl does not check these URLs.
        """
        # Each key of `wanted` is the name of a robots.txt. Each value of `wanted` lists
        # the URLs to check against the robots.txt that the key names.
        wanted = defaultdict[str, list[str]](list)
        for url in urls:
            if url not in exempt:
                name = self._opts.robots or f"{Origin.of(url)}/robots.txt"
                wanted[name].append(url)
        for line in project_notes(self.settings):
            terminal.print_note(line)
        for url in filter(exempt.get, urls):
            self._print(UrlVerdict(url, exemption=exempt[url]))
        self._lookup.run(
            wanted, lambda it: self._add(it, wanted[it.name]), self._print_end
        )

    def _exemption(self, url: str) -> str:
        """Return the reason why a crawl does not check *url*, or "" if a crawl checks
        *url*.

        Raises `WrongUse` if *url* is not a URL, or is an HTTP URL without a host. With
        --robots, *url* can also be a path.
        """
        from scrapy_robots1994.crawl.requests import Exemption, exemption_of  # noqa: PLC0415 - slow to import

        if url.startswith("/") and self._opts.robots:
            return ""
        exemption = exemption_of(url, Origin.of(url), {}, self._lookup.settings.exempt)
        # The query of a path may contain a URL, such as "/go?to=https://host/".
        is_word = url.startswith("/") or "://" not in url
        if exemption is Exemption.NO_HOST or (
            exemption is Exemption.NOT_HTTP and is_word
        ):
            named = self._opts.urls
            place = f"--urls {named}: " if named and named != inputs.STDIN else ""
            raise WrongUse(
                f"{place}{escape_control_chars(url, 60)!r} is neither a URL nor a path of "
                "a file that --robots names: write https://host/path or, with --robots, "
                "/path"
            )
        return exemption.value if exemption else ""

    def _add(self, source: inputs.PolicySource, urls: list[str]) -> None:
        """Count and print the verdict of *source* for each of *urls*."""
        if source.rules is None and not inputs.is_url(source.name):
            # If a file cannot be read, print one note for the file instead of one note for
            # each URL.
            shown = escape_control_chars(source.name, 300)
            terminal.print_note(f"{shown}: {source.why}")
        robot = self._lookup.robot
        for url in urls:
            # Ours O27 (spellings): check the spelling of the URL that the project's crawl
            # would send.
            self._print(UrlVerdict.of(url, source, robot))

    def _print(self, verdict: "UrlVerdict") -> None:
        """Count *verdict*, and print it as text, or as JSON if --json is given."""
        # If the policy could not be fetched, a setting decides whether the verdict is
        # "allowed" or "disallowed". In `_counts`, a URL whose policy could not be fetched
        # is unknown.
        kind = verdict.word if verdict.is_known else "unknown"
        self._counts[kind] += 1
        if verdict.usage and verdict.word == "allowed":
            forbidden = verdict.usage.forbids(self._purposes)
            verdict = replace(verdict, forbidden=forbidden)
            self._counts[_NOT_FOR] += forbidden is not None
        if self._opts.json:
            terminal.print_json(verdict.as_json())
            return
        terminal.print_lines(verdict.lines(self._paint, explain=self._opts.explain))

    def _print_end(self) -> None:
        """Print the totals, unless --json is given."""
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
            purposes = " or ".join(self._purposes)
            total += f"; {self._counts[_NOT_FOR]:,} not for {purposes}"
        terminal.print_line(f"{total}; checked {by}")


@dataclass(frozen=True, slots=True)
class UrlVerdict:
    """The verdict of *source* for *url*, and further values to print.

    *otherwise* maps each of `OTHER_DIALECTS` that decides otherwise to its verdict.
    If a crawl does not check *url*, *exemption* gives the reason, and
    *source* is None. *usage* contains the usage preferences that the file states for *url*.
    *forbidden* is the statement that disallows one of the checked purposes. *robot* is
    the robot for which *verdict* was made.
    """

    url: str
    source: inputs.PolicySource | None = None
    verdict: Verdict | None = None
    otherwise: Mapping[str, Verdict] = field(default_factory=dict)
    exemption: str = ""
    usage: "Usage | None" = None
    forbidden: "Statement | None" = None
    robot: str | bytes = ""

    @classmethod
    def of(
        cls,
        url: str,
        source: inputs.PolicySource,
        robot: str | bytes,
    ) -> "UrlVerdict":
        """Return the verdict of *source* for *robot* and *url*."""
        if source.rules is None:
            return cls(url, source)
        verdict = source.rules.rules(robot).verdict(url)
        otherwise = {
            name: other
            for name, robots in source.read_otherwise.items()
            for other in [robots.rules(robot).verdict(url)]
            if other.allowed != verdict.allowed
        }
        usage = None
        if isinstance(source.rules, RobotsTxt):
            # Without the extra, `_reasons` says so.
            with suppress(MissingExtra):
                usage = source.rules.usage(url, robot)
        return cls(url, source, verdict, otherwise, usage=usage, robot=robot)

    @property
    def is_known(self) -> bool:
        """Whether the verdict follows from a policy that was fetched or read, or from an
        exemption.
        """
        return self.source is None or self.source.is_known

    @property
    def word(self) -> str:
        """The verdict as one word: "allowed", "disallowed" or "unknown"."""
        if self.verdict is None:
            return "unknown" if self.source else "allowed"
        return "allowed" if self.verdict.allowed else "disallowed"

    def lines(self, paint: Paint, *, explain: bool) -> Iterator[str]:
        """Yield the lines to print. Long values are shortened or wrapped.

        If *explain* is true, the reasons follow the first line, which has no note.
        """
        note = "" if explain else self._note()
        word = paint(f"{self.word:{_MARGIN}}", _STYLES[self.word])
        width = WIDTH - _MARGIN - len(note)
        yield f"{word}{redact_and_escape(self.url, width)}{note}"
        for text in self._reasons() if explain else ():
            for line in wrap_and_escape(text, WIDTH - _MARGIN):
                yield " " * _MARGIN + line

    def _note(self) -> str:
        """Return the end of the line of the URL: what decided, such as a status or a line
        number, and the keys of `otherwise`.
        """
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
            words.append("no answer" if inputs.is_url(source.name) else "not read")
        if verdict and verdict.line is not None:
            words.append(f"line {verdict.line}")
        if self.forbidden:
            words.append(f"not for {self.forbidden.purpose}")
        words += [f"{name} differs" for name in self.otherwise]
        return f"  {', '.join(words)}" * bool(words)

    def _reasons(self) -> Iterator[str]:
        """Yield the reasons for the verdict. Then yield the verdicts in `otherwise`, and
        the usage preferences.
        """
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
            if ignored := source.rules and source.rules.rules(self.robot).ignored:
                yield f"ignored or taken literally in this dialect: {ignored}"
        for name, other in self.otherwise.items():
            yield (
                f"the dialect {name} says: {other}; to obey that decision, set "
                f'ROBOTS1994_DIALECT = "{name}"'
            )
        if self.usage is None and isinstance(source.rules, RobotsTxt):
            from scrapy_robots1994.parser.usage import why_unread  # noqa: PLC0415 - rarely needed

            if why := why_unread(source.rules.text):
                yield f"usage: {why}"
        yield from _usage_reasons(self.usage)

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as plain values that can be written as JSON."""
        source = self.source
        verdicts = {"verdict": self.verdict, **self.otherwise}
        return {
            "url": self.url,
            "allowed": self.word == "allowed",
            "is_known": self.is_known,
            "source": source and redact_credentials(source.name),
            "outcome": source and source.outcome,
            "status": source and source.status,
            "why": (source.why if source else self.exemption) or None,
            **{
                name: _verdict_as_json(verdicts.get(name))
                for name in ("verdict", *inputs.OTHER_DIALECTS)
            },
            "usage": self.usage and asdict(self.usage),
        }


def _purposes(names: list[str]) -> tuple[str, ...]:
    """Return the purposes in *names*, which are the values of `--purpose`. Raises
    `WrongUse` if a purpose is unknown.
    """
    from scrapy_robots1994.crawl.setting_types import PURPOSES  # noqa: PLC0415 - slow to import
    from scrapy_robots1994.parser.usage import http_sf  # noqa: PLC0415 - rarely needed

    if names:
        http_sf()
    try:
        return PURPOSES.read("--purpose", names)
    except SettingsError as error:
        raise WrongUse(str(error).replace("ROBOTS1994_PURPOSES", "--purpose")) from None


def _usage_reasons(usage: "Usage | None") -> Iterator[str]:
    """Yield lines about *usage*, the usage preferences that a file states for a URL."""
    from scrapy_robots1994.parser.usage import LABELS  # noqa: PLC0415 - imported only when needed

    if usage is None or not (
        usage.statements or usage.licenses or usage.not_understood
    ):
        return
    said: dict[str, str] = {}
    for it in usage.statements:
        # If several statements are about one purpose, show the most restrictive statement.
        if it.answer is usage[it.purpose]:
            where = it.where.removeprefix("robots.txt ")
            said.setdefault(it.purpose, f"{it.answer.value} ({where}: {it.term})")
    # List only the purposes in `LABELS`, because a robots.txt cannot state usage
    # preferences for other purposes.
    purposes = dict.fromkeys(it.purpose for it in LABELS)
    answers = [f"{it} {said.get(it, 'unstated')}" for it in purposes]
    answers += [f"licence {it}" for it in usage.licenses]
    yield f"usage: {'; '.join(answers)}"
    for odd in usage.not_understood:
        yield f"usage: not understood: {odd}"


def _verdict_as_json(verdict: Verdict | None) -> dict[str, Any] | None:
    """Return *verdict* as plain values that can be written as JSON."""
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
