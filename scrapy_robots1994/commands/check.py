"""`scrapy robots-check`: may these URLs be retrieved, and which line says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.base import RobotsCommand
from scrapy_robots1994.commands.fetch_policies import WHO_ASKS, Inquiry, ask, leave_out
from scrapy_robots1994.commands.findings import (
    Finding,
    as_json,
    judged,
    print_finding,
    sum_of,
)
from scrapy_robots1994.commands.inputs import (
    STDIN,
    files_in,
    is_url,
    urls_from,
)
from scrapy_robots1994.commands.policies import Source, from_file, from_found
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.errors import RobotsError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from scrapy.settings import Settings

DISALLOWED = 1
NOT_HAD = 3

EXAMPLES = """\
examples:
  scrapy robots-check https://example.com/ https://example.com/private/x
  scrapy robots-check --robot mybot --urls urls.txt --json
  scrapy robots-check --robots draft.txt /private/x

exit code: 0 all allowed, 1 some disallowed, 2 wrong use, 3 a policy could not be had
"""


class RobotsCheck(RobotsCommand):
    """May these URLs be retrieved, by which record and line, or why by none."""

    examples = EXAMPLES

    def syntax(self) -> str:
        """How it is called."""
        return "[options] URL..."

    def short_desc(self) -> str:
        """What the list of commands says of it."""
        return "Say whether robots.txt allows URLs, and which line decides"

    def long_desc(self) -> str:
        """What its help says first."""
        return (
            "Say for each URL whether a strict robot of 1994 may retrieve it, with the "
            "record and the line that decide. URLs are arguments, lines of a file "
            "(--urls) or of standard input (-). The robots.txt of each origin is "
            "fetched with the downloader and the settings of the project, as its crawl "
            "would do, unless --robots names a file."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        parser.add_argument(
            "--robot",
            metavar="NAME",
            help="the robot that asks: a name or a whole User-Agent header; if not "
            "given, the one the project crawls with",
        )
        parser.add_argument(
            "--robots",
            metavar="FILE|URL|-",
            action="append",
            default=[],
            help="ask this robots.txt instead: a file, a folder of files, a URL, or - "
            "for standard input (may be repeated); URLs may then be paths",
        )
        parser.add_argument(
            "--urls", metavar="FILE", help="a file with one URL a line, - for stdin"
        )
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object a line"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Ask, print, and leave the exit code."""
        if STDIN in opts.robots and STDIN in (*args, opts.urls):
            msg = "standard input can be the robots.txt or the URLs, not both"
            raise UsageError(msg)
        try:
            RobotsSettings.from_settings(self.own_settings)
            paint = terminal.painter(opts.color)
        except RobotsError as error:
            raise UsageError(str(error)) from None
        urls = urls_from(args, opts.urls)
        if _is_off(self.own_settings):
            terminal.note(
                "note: ROBOTSTXT_OBEY is off here, so the crawl would ask no robots.txt"
            )
        inquiry = Inquiry([])
        findings = list(self._findings(urls, opts, inquiry))
        if inquiry.error:
            raise UsageError(escape_control_chars(inquiry.error, 300))
        for finding in findings:
            if opts.json:
                terminal.say(json.dumps(as_json(finding)))
            else:
                for line in print_finding(finding, paint):
                    terminal.say(line)
        if not opts.json:
            terminal.say(sum_of(findings, opts.robot or inquiry.robot))
        self.exitcode = _exit_code(findings)

    def _findings(
        self, urls: list[str], opts: argparse.Namespace, inquiry: Inquiry
    ) -> Iterator[Finding]:
        """Yield what each source says of each URL, in the order of the URLs."""
        asked = [url for url in urls if _is_asked(url, is_path_fine=opts.robots)]
        wanted = files_in(opts.robots) if opts.robots else _files_of(asked)
        inquiry.urls = [name for name in wanted if is_url(name)]
        with terminal.progress("robots.txt", len(inquiry.urls)) as step:
            inquiry.on_found = step
            if inquiry.urls:
                ask(self.process, inquiry, opts.spider)
            else:
                leave_out(self.process, opts.spider, WHO_ASKS)
        if inquiry.error:
            return
        robot = opts.robot or inquiry.robot or self._robot_of_settings()
        inquiry.robot = robot
        settings = RobotsSettings.from_settings(self.own_settings)
        sources: dict[str, Source] = {
            name: from_found(name, inquiry.found[name])
            if is_url(name)
            else from_file(name, settings)
            for name in wanted
        }
        are_asked = set(asked)
        for url in urls:
            if url not in are_asked:
                yield Finding(url)
                continue
            names = wanted if opts.robots else _files_of([url])
            yield from (judged(url, sources[name], robot) for name in names)

    def _robot_of_settings(self) -> str:
        """The name that the settings give, where no crawler was needed to ask."""
        settings = self.own_settings
        name: str = settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"] or ""
        return name


def _files_of(urls: list[str]) -> list[str]:
    """Return the robots.txt URLs of the origins of *urls*, each once."""
    origins = [origin for origin in map(Origin.of, urls) if origin is not None]
    return list(dict.fromkeys(origin.robots_url for origin in origins))


def _is_asked(url: str, *, is_path_fine: object) -> bool:
    """Whether robots.txt speaks for *url*: not for other schemes than http and https.

    Raises `UsageError` for what is no URL, nor a path where *is_path_fine*.
    """
    if is_url(url) or (is_path_fine and url.startswith("/")):
        return True
    if "://" not in url or url.lower().startswith(("http:", "https:")):
        what = "no URL and no path" if is_path_fine else "no URL"
        instead = "/path" if is_path_fine else "name a robots.txt with --robots"
        msg = (
            f"{escape_control_chars(url, 60)!r} is {what}: write https://host/path; for a path "
            f"alone, {instead}"
        )
        raise UsageError(msg)
    return False


def _is_off(settings: Settings) -> bool:
    """Whether the project, or the command line, says not to obey robots.txt."""
    name = "ROBOTSTXT_OBEY"
    is_set = (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["project"]
    return is_set and not settings.getbool(name)


def _exit_code(findings: list[Finding]) -> int:
    """Return what the shell is told: the worst of all."""
    if any(not finding.is_known for finding in findings):
        return NOT_HAD
    return 0 if all(finding.allowed for finding in findings) else DISALLOWED
