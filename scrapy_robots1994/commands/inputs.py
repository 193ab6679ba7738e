"""The inputs of a command (files, folders, URLs, standard input) and their policies."""

import os
import signal
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NoReturn, TypeAlias
from urllib.parse import quote_from_bytes

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import is_http
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy, UniformRules
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

STDIN = "-"


def expand(names: Iterable[str]) -> list[str]:
    """Return *names* without duplicates. A folder is replaced by the files under it.

    In a folder, hidden files and folders are skipped, and pipes, devices and links that lead out of
    it are skipped with a note. Raise `WrongUse` for an empty name or a folder without files, and
    `OSError` for a folder that cannot be listed.
    """
    found: dict[str, None] = {}
    for name in names:
        # An empty name probably comes from an unset shell variable.
        if not name:
            raise WrongUse(
                "the name of a file is empty: pass a file, a folder or a URL"
            )
        inside = [name]
        if name != STDIN and Path(name).is_dir():
            left_out: list[str] = []
            inside = sorted(_files_under(Path(name), left_out))
            terminal.print_notes("not read", left_out)
        if not inside:
            shown = escape_control_chars(name, 300)
            raise WrongUse(f"the folder {shown} contains no files: pass another folder")
        found |= dict.fromkeys(inside)
    return list(found)


def _files_under(root: Path, left_out: list[str]) -> Iterator[str]:
    folders, real = [root], root.resolve()
    while folders:
        for path in sorted(folders.pop().iterdir()):
            if path.name.startswith("."):
                continue
            # Links in a downloaded folder must not lead to other files on this machine.
            if not path.resolve().is_relative_to(real):
                left_out.append(f"a link that leads out of its folder: {path}")
            elif path.is_dir() and not path.is_symlink():
                folders.append(path)
            elif path.is_file():
                # Without `./`, a file named `-` would mean standard input.
                yield f"./{path}" if str(path) == STDIN else str(path)
            elif not path.is_dir():
                # Do not read pipes, because a pipe may never end.
                left_out.append(f"not a regular file: {path}")


def refuse_twice(files: Iterable[str | None], urls: Iterable[str | None]) -> None:
    if STDIN in files and STDIN in urls:
        raise WrongUse("standard input can be the robots.txt or the URLs, not both")


def read_bytes(name: str, count: int = -1) -> bytes:
    """Read at most *count* bytes of the file *name*, or of standard input if *name* is `-`."""
    # Open descriptor 0, because `sys.stdin` is None if standard input was closed.
    with open(0 if name == STDIN else name, "rb", closefd=name != STDIN) as file:
        return file.read(count)


def urls_from(args: list[str], named: str | None) -> list[str]:
    """Return the URLs in *args*, in the file *named* and on standard input.

    Standard input is read if `-` is given, or if it is not a terminal and neither a URL nor a file
    is given. Raise `WrongUse` if there are no URLs.
    """
    # Arguments need not be UTF-8.
    urls = [_as_url(os.fsencode(arg)) for arg in args if arg != STDIN]
    if named not in {None, STDIN}:
        urls += listed(str(named))
    is_alone = not (urls or named or os.isatty(0))
    if is_alone or STDIN in (*args, named):
        urls += listed(STDIN)
    if not urls:
        raise WrongUse(
            "no URL given: pass URLs, pass a file of URLs with --urls, or pipe URLs to "
            "standard input"
        )
    return urls


def listed(name: str) -> list[str]:
    """Read URLs from the file *name*, one per line, skipping blank lines and comments."""
    lines = read_bytes(name).removeprefix(BOM_UTF8).split(b"\n")
    urls = (_as_url(line).strip() for line in lines)
    return [url for url in urls if url and not url.startswith("#")]


def _as_url(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        # Percent-encode non-ASCII bytes, as HTTP clients do.
        return quote_from_bytes(line, safe=bytes(range(128)))


def why_unread(error: OSError) -> str:
    """Return the message of *error* without the file name, which the caller prints."""
    return escape_control_chars(error.strerror or str(error), 300)


@dataclass(frozen=True)
class PolicySource:
    """The policy of the URL or file *name*.

    *stated* is the parsed file, or the rules that apply without one. It is None if they are
    unknown. *why* says why they are unknown, or why the origin is unreachable (Ours R5).
    """

    name: str
    stated: RobotsTxt | UniformRules | None
    outcome: str = "file"
    status: int | None = None
    why: str = ""
    policy: Policy | None = None

    @property
    def is_known(self) -> bool:
        """Whether the file was read, or the origin was reachable (Ours R5)."""
        return self.stated is not None and not self.why

    @cached_property
    def rfc9309(self) -> RobotsTxt | None:
        stated = self.stated
        return stated.read_as("rfc9309") if isinstance(stated, RobotsTxt) else None

    @classmethod
    def from_file(cls, name: str, reader: Reader) -> "PolicySource":
        try:
            # Read one more byte to see whether the file exceeds the limit.
            robots = reader.read(read_bytes(name, reader.limit + 1))
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            hint = "; write a URL as https://host" * is_missing
            return cls(name, None, why=why_unread(error) + hint)
        if robots.is_truncated and not robots.text:
            # Ours O24: an incomplete line is not obeyed.
            why = f"no line ends within {reader.limit} bytes (ROBOTS1994_MAX_BYTES)"
            return cls(name, None, "unknown", why=why)
        return cls(name, robots)

    @classmethod
    def from_policy(cls, name: str, policy: Policy) -> "PolicySource":
        why = ""
        if policy.outcome is Outcome.UNREACHABLE:
            why = f"could not fetch robots.txt ({policy.failure}); try again later"
        outcome = policy.outcome.value
        return cls(name, policy.stated, outcome, policy.status, why, policy)

    @classmethod
    def from_error(cls, name: str, error: Exception) -> "PolicySource":
        """Return a source without rules for the local failure *error* (Ours R7)."""
        why = redact_and_escape(str(error), 300).rstrip(".") or type(error).__name__
        why += (
            ": a local error (proxy, middleware or this machine), which says nothing about "
            "the site; try again"
        )
        return cls(name, None, "unknown", why=why)


OnSource: TypeAlias = Callable[[PolicySource], object]


class Lookup:
    """Looks up the policies of files. `PolicyLookup` also fetches URLs."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def run(
        self,
        names: Iterable[str],
        add: OnSource,
        end: Callable[[], object] = lambda: None,
    ) -> None:
        """Call *add* with each source as soon as it is known, and *end* after the last.

        After Ctrl-C, call *end*, print the names that got no answer, and exit.
        """
        self._missing = dict.fromkeys(names)
        self._count = len(self._missing)
        self._end = end

        def report(source: PolicySource) -> None:
            add(source)
            self._missing.pop(source.name, None)

        try:
            if urls := list(filter(is_http, self._missing)):
                self._fetch(urls, report)
            for name in list(self._missing):
                report(PolicySource.from_file(name, self.reader))
        except KeyboardInterrupt:
            self._give_up()
        end()

    def _fetch(self, urls: list[str], _report: OnSource) -> None:
        shown = escape_control_chars(urls[0], 300)
        raise WrongUse(f"{shown} is a URL: use `scrapy robots-lint`, which fetches it")

    def _note_missing(self, start: str, end: str = "") -> None:
        missing = f"{len(self._missing):,} of {self._count:,}"
        terminal.print_note(f"{start}no answer yet from {missing}{end}")

    def _give_up(self) -> NoReturn:
        # After a second Ctrl-C, exit without printing the rest.
        signal.signal(signal.SIGINT, lambda *_: terminal.end_now())
        try:
            self._end()
            self._note_missing("interrupted: ")
            terminal.print_notes("no answer", self._missing)
        finally:
            terminal.end_now()
