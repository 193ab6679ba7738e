"""`scrapy robots-check`: may these URLs be retrieved, and which line decides."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, ClassVar

from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.misc import load_object
from scrapy.utils.project import inside_project

from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.inputs import STDIN, expand, is_url, urls_from
from scrapy_robots1994.commands.options import JSON, URLS, Options
from scrapy_robots1994.commands.terminal import (
    ExitCode,
    WrongUse,
    painter,
    print_line,
    print_note,
    progress,
)
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from scrapy_robots1994.commands.fetch_policies import PolicyLookup
    from scrapy_robots1994.commands.policy_source import PolicySource
    from scrapy_robots1994.commands.url_verdict import UrlVerdict
    from scrapy_robots1994.lint.formats import Paint

MAX_NAMED = 5
"""Origins that are named as missing after Ctrl-C."""


class RobotsCheck(RobotsCommand):
    """May these URLs be retrieved, by which record and line, or why by none."""

    arguments = "URL..."
    summary = "Say whether robots.txt allows URLs, and which line decides"
    description = (
        "Say for each URL whether a strict robot of 1994 may retrieve it, and which "
        "line decides. URLs are arguments, lines of a file (--urls) or of standard "
        "input (-). The robots.txt of each origin is fetched with the downloader "
        "and the settings of the project, as its crawl would do, unless --robots "
        "names a file. Each line is printed as soon as its origin has answered."
    )
    examples = """\
examples:
  scrapy robots-check https://example.com/ https://example.com/private/x
  scrapy robots-check --robot mybot --urls urls.txt --only disallowed
  scrapy robots-check --robots draft.txt --explain /private/x
"""
    options: ClassVar[Options] = {
        "--robot": {
            "metavar": "NAME",
            "help": "check for this robot: a name or a whole User-Agent header; if not "
            "given, the one the project crawls with",
        },
        "--robots": {
            "metavar": "FILE|URL|-",
            "action": "append",
            "default": [],
            "help": "read this robots.txt instead: a file, a folder of files, a URL, or "
            "- for standard input (may be repeated); URLs may then be paths",
        },
        **URLS,
        "--only": {
            "choices": ("allowed", "disallowed", "unknown"),
            "help": "print only these URLs; the exit code counts all",
        },
        "--explain": {
            "action": "store_true",
            "help": "print the reason below each URL",
        },
        **JSON,
    }

    def execute(self, args: list[str], opts: argparse.Namespace) -> int:
        """Look up, print, and return the exit code."""
        from scrapy_robots1994.commands.fetch_policies import PolicyLookup  # noqa: PLC0415 - heavy
        from scrapy_robots1994.commands.policy_source import PolicySource  # noqa: PLC0415 - heavy
        from scrapy_robots1994.crawl.settings import RobotsSettings  # noqa: PLC0415 - as above

        if STDIN in opts.robots and STDIN in (*args, opts.urls):
            msg = "standard input can be the robots.txt or the URLs, not both"
            raise WrongUse(msg)
        settings = RobotsSettings.from_settings(self.own_settings)
        paint = painter(opts.color)
        urls = urls_from(args, opts.urls)
        checked = [url for url in urls if _is_checked(url, is_path_fine=opts.robots)]
        names = expand(opts.robots) if opts.robots else _robots_urls(checked)
        for line in _notes(self.own_settings):
            print_note(line)
        fetched = [name for name in names if is_url(name)]
        lookup = PolicyLookup(fetched)
        printer = _Printer(urls, checked, names, lookup, opts, paint)
        lookup.on_end = printer.print_end
        with progress("robots.txt", len(names)) as step:

            def add(source: PolicySource) -> None:
                printer.add(source)
                step()

            lookup.on_found = add
            self.look_up(lookup, opts.spider)
            printer.print_unchecked()
            try:
                for name in () if lookup.is_interrupted else names:
                    if not is_url(name):
                        add(PolicySource.from_file(name, settings))
            except KeyboardInterrupt:
                lookup.is_interrupted = True
        printer.print_end()
        return printer.exit_code


class _Printer:
    """Prints what each source says as soon as it is known, and counts."""

    def __init__(  # noqa: PLR0913, PLR0917 - what the arguments and options came to
        self,
        urls: list[str],
        checked: list[str],
        names: list[str],
        lookup: PolicyLookup,
        opts: argparse.Namespace,
        paint: Paint,
    ) -> None:
        is_checked = set(checked)
        self._unchecked = [url for url in urls if url not in is_checked]
        self._urls: dict[str, list[str]] = defaultdict(list)
        for url in checked:
            for name in names if opts.robots else _robots_urls([url]):
                self._urls[name].append(url)
        self._names = names
        self._lookup = lookup
        self._opts = opts
        self._paint = paint
        self._words: Counter[str] = Counter()
        self._done: set[str] = set()
        self._unknown = 0

    @property
    def robot(self) -> str | bytes:
        """The robot that is checked for."""
        chosen: str | bytes = self._opts.robot or self._lookup.robot
        return chosen

    def add(self, source: PolicySource) -> None:
        """Print what *source* says of its URLs."""
        from scrapy_robots1994.commands.url_verdict import UrlVerdict  # noqa: PLC0415 - heavy

        self._done.add(source.name)
        if source.rules is None and not is_url(source.name):
            # A file that cannot be read is named once, however many URLs there are.
            print_note(f"{escape_control_chars(source.name, 300)}: {source.why}")
        for url in self._urls[source.name]:
            self._print(UrlVerdict.of(url, source, self.robot))

    def print_unchecked(self) -> None:
        """Print the URLs that no robots.txt is about."""
        from scrapy_robots1994.commands.url_verdict import UrlVerdict  # noqa: PLC0415 - heavy

        for url in self._unchecked:
            self._print(UrlVerdict(url))

    def _print(self, verdict: UrlVerdict) -> None:
        """Count *verdict*, and print it if it is wanted."""
        self._words[verdict.word] += 1
        self._unknown += not verdict.is_known
        if self._opts.only and verdict.word != self._opts.only:
            return
        if self._opts.json:
            print_line(json.dumps(verdict.as_json()))
        else:
            for line in verdict.lines(self._paint, explain=self._opts.explain):
                print_line(line)

    def print_end(self) -> None:
        """Print the sum, and after Ctrl-C what is missing."""
        if not self._opts.json:
            print_line(self._sum())
        if self._lookup.is_interrupted:
            missing = [name for name in self._names if name not in self._done]
            named = ", ".join(
                escape_control_chars(it, 100) for it in missing[:MAX_NAMED]
            )
            more = ", ..." if missing[MAX_NAMED:] else ""
            print_note(f"interrupted: no answer yet from {len(missing)}: {named}{more}")

    def _sum(self) -> str:
        """Return the line below all others."""
        robot, words = self.robot, self._words
        text = robot.decode("utf-8", "replace") if isinstance(robot, bytes) else robot
        counts = f"{words['allowed']:,} allowed, {words['disallowed']:,} disallowed"
        if self._unknown:
            counts += f"; no policy was found for {self._unknown:,}"
        return f'{counts}; asked as "{escape_control_chars(text, 60)}"'

    @property
    def exit_code(self) -> int:
        """What the shell gets: the worst of all."""
        if self._lookup.is_interrupted:
            return ExitCode.INTERRUPTED
        if self._unknown:
            return ExitCode.UNREAD
        return ExitCode.FOUND if self._words["disallowed"] else ExitCode.FINE


def _robots_urls(urls: list[str]) -> list[str]:
    """Return the robots.txt URLs of the origins of *urls*, each once."""
    origins = [origin for origin in map(Origin.of, urls) if origin is not None]
    return list(dict.fromkeys(origin.robots_url for origin in origins))


def _is_checked(url: str, *, is_path_fine: object) -> bool:
    """Whether robots.txt is about *url*: not about other schemes than http and https.

    Raises `WrongUse` for what is not a URL, nor a path where *is_path_fine*.
    """
    if is_url(url) or (is_path_fine and url.startswith("/")):
        return True
    if "://" not in url or url.lower().startswith(("http:", "https:")):
        what = "neither a URL nor a path" if is_path_fine else "not a URL"
        instead = "/path" if is_path_fine else "name a robots.txt with --robots"
        msg = (
            f"{escape_control_chars(url, 60)!r} is {what}: write https://host/path; for a path "
            f"alone, {instead}"
        )
        raise WrongUse(msg)
    return False


def _notes(settings: Settings) -> list[str]:
    """Return why the crawl of the project would not do what is printed here."""
    name = "ROBOTSTXT_OBEY"
    is_set = (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["project"]
    notes = []
    if is_set and not settings.getbool(name):
        notes.append(
            f"note: {name} is off here, so the crawl would not fetch robots.txt"
        )
    if inside_project() and not _is_enabled(settings):
        notes.append(
            "note: this project does not enable scrapy_robots1994, so its crawl uses "
            'Scrapy\'s own middleware; write ADDONS = {"scrapy_robots1994.Addon": 500}'
        )
    return notes


def _is_enabled(settings: Settings) -> bool:
    """Whether the add-on or the middleware is in *settings*."""
    from scrapy_robots1994 import Addon, Robots1994Middleware  # noqa: PLC0415 - heavy

    for name in ("ADDONS", "DOWNLOADER_MIDDLEWARES"):
        for path, place in settings.getdict(name).items():
            if place is None:
                continue
            try:
                found = load_object(path)
            except (ImportError, NameError, ValueError, TypeError):
                continue
            if isinstance(found, type) and issubclass(
                found, (Addon, Robots1994Middleware)
            ):
                return True
    return False
