"""`scrapy robots-check`: may these URLs be retrieved, and which line decides."""

from __future__ import annotations

from collections import Counter
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
    interruptible,
    painter,
    print_json,
    print_line,
    print_note,
    progress,
)
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.body import decode

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from scrapy.settings import Settings

    from scrapy_robots1994.commands.url_verdict import PolicySource, UrlVerdict
    from scrapy_robots1994.crawl.requests import Exemption

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
        from scrapy_robots1994.commands.url_verdict import PolicySource  # noqa: PLC0415 - heavy
        from scrapy_robots1994.crawl.settings import RobotsSettings  # noqa: PLC0415 - heavy

        if STDIN in opts.robots and STDIN in (*args, opts.urls):
            raise WrongUse("standard input can be the robots.txt or the URLs, not both")
        settings = RobotsSettings.from_settings(self.own_settings)
        check = _Check(urls_from(args, opts.urls), opts)
        for line in _notes(self.own_settings):
            print_note(line)
        with (
            interruptible(check.lookup.interrupted),
            progress("robots.txt", len(check.names)) as check.step,
        ):
            check.print_exempt()
            self.look_up(check.lookup, opts.spider)
            for name in () if check.lookup.is_interrupted else check.names:
                if not is_url(name):
                    check.add(PolicySource.from_file(name, settings))
        check.print_end()
        return check.exit_code


class _Check:
    """The URLs to check by the names of what decides, and the counts of the answers.

    Each answer is printed as soon as it is known.
    """

    def __init__(self, urls: list[str], opts: argparse.Namespace) -> None:
        from scrapy_robots1994.commands.fetch_policies import PolicyLookup  # noqa: PLC0415 - heavy

        self._opts = opts
        self._paint = painter(opts.color)
        exemptions = [(url, _exemption(url, is_path_fine=opts.robots)) for url in urls]
        self._exempt = [(url, why) for url, why in exemptions if why is not None]
        checked = [url for url, why in exemptions if why is None]
        self._urls: dict[str, list[str]] = {}
        if opts.robots:
            self._urls = dict.fromkeys(expand(opts.robots), checked)
        else:
            for url in checked:
                origin = Origin.of(url)
                assert origin is not None  # noqa: S101 - else it is exempt
                self._urls.setdefault(origin.robots_url, []).append(url)
        self.names = list(self._urls)
        fetched = [name for name in self.names if is_url(name)]
        self.lookup = PolicyLookup(fetched, self.add, self.print_end)
        self.step: Callable[[], None] = lambda: None
        self._words: Counter[str] = Counter()
        self._done: set[str] = set()
        self._unknown = 0

    @property
    def _robot(self) -> str | bytes:
        """The robot that is checked for."""
        chosen: str | bytes = self._opts.robot or self.lookup.robot
        return chosen

    def add(self, source: PolicySource) -> None:
        """Print what *source* says of its URLs."""
        from scrapy_robots1994.commands.url_verdict import UrlVerdict  # noqa: PLC0415 - heavy

        self._done.add(source.name)
        if source.rules is None and not is_url(source.name):
            # A file that cannot be read is named once, however many URLs there are.
            print_note(f"{escape_control_chars(source.name, 300)}: {source.why}")
        for url in self._urls[source.name]:
            self._print(UrlVerdict.of(url, source, self._robot))
        self.step()

    def print_exempt(self) -> None:
        """Print the URLs that a crawl does not check."""
        from scrapy_robots1994.commands.url_verdict import UrlVerdict  # noqa: PLC0415 - heavy

        for url, why in self._exempt:
            self._print(UrlVerdict(url, exemption=why))

    def _print(self, verdict: UrlVerdict) -> None:
        """Count *verdict*, and print it if it is wanted."""
        self._words[verdict.word] += 1
        self._unknown += not verdict.is_known
        if self._opts.only and verdict.word != self._opts.only:
            return
        if self._opts.json:
            print_json(verdict.as_json())
        else:
            for line in verdict.lines(
                self._paint,
                explain=self._opts.explain,
                is_one_of=bool(self._opts.robots) and len(self.names) > 1,
            ):
                print_line(line)

    def print_end(self) -> None:
        """Print the sum, and after Ctrl-C what is missing."""
        if not self._opts.json:
            robot = (
                decode(self._robot) if isinstance(self._robot, bytes) else self._robot
            )
            unknown = f"; no policy was found for {self._unknown:,}" * bool(
                self._unknown
            )
            print_line(
                f"{self._words['allowed']:,} allowed, "
                f"{self._words['disallowed']:,} disallowed{unknown}; "
                f'asked as "{escape_control_chars(robot, 60)}"'
            )
        if self.lookup.is_interrupted:
            missing = [name for name in self.names if name not in self._done]
            named = [escape_control_chars(it, 100) for it in missing[:MAX_NAMED]]
            named += ["..."] * bool(missing[MAX_NAMED:])
            print_note(
                f"interrupted: no answer yet from {len(missing)}: {', '.join(named)}"
            )

    @property
    def exit_code(self) -> int:
        """The worst of all answers."""
        if self.lookup.is_interrupted:
            return ExitCode.INTERRUPTED
        if self._unknown:
            return ExitCode.UNREAD
        return ExitCode.FOUND if self._words["disallowed"] else ExitCode.FINE


def _exemption(url: str, *, is_path_fine: object) -> Exemption | None:
    """Return why a crawl does not check *url*; `None` if it does.

    Raises `WrongUse` for what is not a URL, nor a path where *is_path_fine*.
    """
    from scrapy_robots1994.crawl.requests import Exemption, exemption_of  # noqa: PLC0415 - heavy

    if is_path_fine and url.startswith("/"):
        return None
    exemption = exemption_of(url, {})
    is_http = "://" not in url or url.lower().startswith(("http:", "https:"))
    if exemption is Exemption.NOT_HTTP and is_http:
        what = "neither a URL nor a path" if is_path_fine else "not a URL"
        instead = "/path" if is_path_fine else "name a robots.txt with --robots"
        shown = repr(escape_control_chars(url, 60))
        raise WrongUse(
            f"{shown} is {what}: write https://host/path; for a path alone, {instead}"
        )
    return exemption


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
            "Scrapy's own middleware; fill the ADDONS line of its settings: "
            'ADDONS = {"scrapy_robots1994.Addon": 500}'
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
