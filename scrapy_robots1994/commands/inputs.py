"""Find the inputs of a command and their policies.

An input is a file, a folder of files, a URL, a list of URLs, or standard input.
"""

import os
import signal
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NoReturn, TypeAlias
from urllib.parse import quote_from_bytes, urlsplit

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.terminal import Unreadable, WrongUse
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import is_http
from scrapy_robots1994.policy.policy import Policy, UniformRules
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

STDIN = "-"

TRY_AGAIN = "; try again later"


def is_url(name: str) -> bool:
    """Return whether *name* is a URL to fetch, and not a file to open."""
    return is_http(name)


def expand(names: Iterable[str]) -> list[str]:
    """Return *names* without repetitions. Each folder is replaced by the files under the
    folder.

    Inside a folder, hidden files and hidden folders are left out.
    Links that lead out of the folder, and files that are not regular files, are left out
    with a note. A folder that cannot be listed remains in the result. A later attempt to
    read such a folder raises an error that gives the reason.

    Raises `WrongUse` for a folder without files, and for an empty name.
    """
    found: dict[str, None] = {}
    for name in names:
        # The name may be empty because, for example, a shell variable is not set.
        if not name:
            raise WrongUse(
                "the name of a file is empty: name a file, a folder or a URL"
            )
        # Use `os.path.isdir`, because `Path.is_dir` may raise OSError for a name that is
        # too long.
        is_folder = name != STDIN and os.path.isdir(name)  # noqa: PTH112 - `os.path` never raises
        inside = list(_files_under(name)) if is_folder else [name]
        if not inside:
            shown = escape_control_chars(name, 300)
            raise WrongUse(f"no file is in the folder {shown}: name another folder")
        found |= dict.fromkeys(inside)
    return list(found)


def _files_under(folder: str) -> Iterator[str]:
    """Yield the files to read under *folder*, and the folders that cannot be listed.

    Some links and special files are left out. A note is printed about each of the first
    few files that are left out.
    """
    faults: list[str] = []
    notes = terminal.CappedLines(terminal.print_note)
    walked = os.walk(folder, onerror=lambda error: faults.append(error.filename))
    for path, folders, names in walked:
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        # `os.walk` does not follow links to folders.
        links = [it for it in folders if os.path.islink(os.path.join(path, it))]  # noqa: PTH114, PTH118 - `os.path` never raises
        for name in (*links, *sorted(names)):
            file = str(Path(path, name))
            if name.startswith("."):
                continue
            if why := left_out_as(file, folder):
                shown = redact_and_escape(file, 300)
                notes.add(f"not read, as it {why}: {shown}")
            else:
                # Yield `./-` for a file called `-`, so that the file is not mistaken for
                # standard input.
                yield f"./{file}" if file == STDIN else file
    notes.end()
    yield from faults


def left_out_as(path: str | Path, folder: str | Path) -> str:
    """Return the reason why *path* is left out when *folder* is read, or "" if *path* is
    read.

    A link that leads out of the folder is left out. Through such a link, the author of
    the folder could choose a file outside the folder. A pipe, a socket or a device is
    left out, because a program that reads a pipe, a socket or a device can wait forever.
    """
    root, target = os.path.realpath(folder), os.path.realpath(path)
    if os.path.islink(path) and os.path.commonpath((target, root)) != root:  # noqa: PTH114 - `os.path` never raises
        return "links out of its folder"
    is_special = os.path.exists(path) and not os.path.isfile(path)  # noqa: PTH110, PTH113 - `os.path` never raises
    return "is not a regular file" if is_special else ""


def refuse_twice(files: Iterable[str | None], urls: Iterable[str | None]) -> None:
    """Raise `WrongUse` if both *files* and *urls* name standard input."""
    if STDIN in files and STDIN in urls:
        raise WrongUse("standard input can be the robots.txt or the URLs, not both")


def read_bytes(name: str, count: int = -1) -> bytes:
    """Return the bytes of the file *name*, or of standard input if *name* is `-`.

    At most *count* bytes are read, or all bytes if *count* is -1. Raises OSError for a
    file that cannot be read. Raises `WrongUse` if *name* is `-` and standard
    input is closed.
    """
    if name == STDIN:
        if sys.stdin is None:
            raise WrongUse('"-" means standard input, which is closed: name a file')
        return sys.stdin.buffer.read(count)
    try:
        with Path(name).open("rb") as file:
            return file.read(count)
    except IsADirectoryError:
        # `expand` returns a folder only if the folder could not be listed. List the folder
        # again, because the attempt raises an error that gives the reason.
        next(Path(name).iterdir(), None)
        raise


def urls_from(args: list[str], named: str | None) -> list[str]:
    """Return the URLs in the arguments *args*, in the file called *named* and in standard
    input.

    Standard input is read if an argument or *named* is `-`. If the command line gives
    neither a URL nor a file of URLs, standard input is also read, unless standard input
    is a terminal. Raises `WrongUse` if no URL is found.
    """
    # Encode each argument, because the arguments of a process may not be valid UTF-8.
    urls = [_as_url(os.fsencode(arg)) for arg in args if arg != STDIN]
    if named is not None and named != STDIN:
        urls += listed(named)
    is_piped = sys.stdin is not None and not sys.stdin.isatty()
    if STDIN in (*args, named) or (is_piped and not (urls or named)):
        urls += listed(STDIN)
    if not urls:
        raise WrongUse(
            "no URL given: name a URL, name a file of URLs with --urls, or pipe URLs in"
        )
    return urls


def listed(name: str) -> list[str]:
    """Return the URLs in the file *name*, which contains one URL per line.

    Blank lines and comments are skipped. Raises `Unreadable` if the file cannot be read.
    *name* may be `-` for standard input.
    """
    try:
        body = read_bytes(name)
    except OSError as error:
        shown = escape_control_chars(name, 100)
        raise Unreadable(f"--urls: {shown}: {why_unread(error)}") from None
    urls = (_as_url(line).strip() for line in body.removeprefix(BOM_UTF8).split(b"\n"))
    return [url for url in urls if url and not url.startswith("#")]


def _as_url(line: bytes) -> str:
    """Return *line* as a URL.

    If *line* is not UTF-8, its non-ASCII bytes are percent-encoded, as an HTTP client would
    encode the bytes.
    """
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return quote_from_bytes(line, safe=bytes(range(128)))


def why_unread(error: OSError) -> str:
    """Return one printable line that says why *error* was raised for a file, and what to
    do.

    The line does not name the file, because the caller prints the name before the line.
    """
    if error.strerror is None:
        return str(error)
    reason = escape_control_chars(error.strerror, 300)
    return f"{reason}: check the name and the permissions of the file"


OTHER_DIALECTS = ("rfc9309",)
"""The dialects whose verdict `robots-check` also prints if it differs."""


@dataclass(frozen=True)
class PolicySource:
    """The policy of an origin or of a file. *name* is the URL or the name of the file.

    If no rules are known, *rules* is None and *why* gives the reason. If a fetch failed
    and there is no last good policy, *why* also gives the reason. After a failed fetch
    without a last good policy, one answer applies to all URLs, according to R5
    (unreachable).
    """

    name: str
    rules: RobotsTxt | UniformRules | None
    outcome: str = "file"
    status: int | None = None
    why: str = ""
    policy: Policy | None = None

    @property
    def is_known(self) -> bool:
        """Whether the policy is known. The policy is not known if the file was not read, or
        if the fetch failed and there is no last good policy.
        """
        return self.rules is not None and not self.why

    @cached_property
    def read_otherwise(self) -> dict[str, RobotsTxt]:
        """The file in each of `OTHER_DIALECTS`; empty for a policy without a file."""
        rules = self.rules
        if not isinstance(rules, RobotsTxt):
            return {}
        return {name: rules.read_as(name) for name in OTHER_DIALECTS}

    @classmethod
    def from_file(cls, name: str, reader: Reader) -> "PolicySource":
        """Read the file *name* with *reader*, and return the source for the file."""
        try:
            # The extra byte shows whether the file is longer than the limit.
            robots = reader.read(read_bytes(name, reader.limit + 1))
        except OSError as error:
            hint = "; write a URL as https://host" * isinstance(
                error, FileNotFoundError
            )
            return cls(name, None, why=why_unread(error) + hint)
        if robots.is_truncated and not robots.text:
            # Ours O24 (size limit): the rules of a file without a complete line are
            # unknown. Unknown rules never mean that a URL is allowed.
            why = (
                f"no line ends within {reader.limit} bytes; raise ROBOTS1994_MAX_BYTES"
            )
            return cls(name, None, "unknown", why=why)
        return cls(name, robots)

    @classmethod
    def from_policy(cls, name: str, policy: Policy) -> "PolicySource":
        """Return the source that contains *policy*, for the URL or file *name*."""
        why = ""
        if not policy.is_known:
            how = policy.failure or f"HTTP {policy.status}"
            why = f"could not fetch robots.txt ({how}){TRY_AGAIN}"
        outcome = policy.outcome.value
        return cls(name, policy.stated, outcome, policy.status, why, policy)

    @classmethod
    def from_error(cls, name: str, error: Exception) -> "PolicySource":
        """Return the source for *name*, whose policy is unknown because of *error*."""
        # R7 (our own fault): the error says nothing about the site.
        why = redact_and_escape(str(error), 300).rstrip(".") or type(error).__name__
        why = f"{why}: a local error, which says nothing about the site; try again"
        from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - slow to import

        proxy = getproxies().get(name.partition(":")[0])
        if proxy and not proxy_bypass(urlsplit(name).netloc):
            why += f"; requests are sent through the proxy {redact_and_escape(proxy)}"
        return cls(name, None, "unknown", why=why)


OnSource: TypeAlias = Callable[[PolicySource], object]


class Lookup:
    """Looks up the policies of files, and reports a source for each file.

    The subclass `PolicyLookup` also fetches the policies of URLs.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def run(
        self,
        names: Iterable[str],
        add: OnSource,
        end: Callable[[], object] = lambda: None,
    ) -> None:
        """Look up all *names*. Call *add* with each source, and then call *end* once.

        *add* is called as soon as a source is known. After Ctrl-C, *end* is called at
        once. The process then prints the names that have no source yet, and ends.
        """
        self._missing = dict.fromkeys(names)
        self._count = len(self._missing)
        self._end = end

        def report(source: PolicySource) -> None:
            add(source)
            self._missing.pop(source.name, None)

        try:
            if urls := list(filter(is_url, self._missing)):
                self._fetch(urls, report)
            for name in list(self._missing):
                report(PolicySource.from_file(name, self.reader))
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, lambda *_: terminal.end_now())
            self._give_up()
        end()

    def _fetch(self, urls: list[str], _report: OnSource) -> None:
        """Raise `WrongUse`, because only a subclass can fetch *urls*."""
        shown = escape_control_chars(urls[0], 300)
        raise WrongUse(f"{shown} is a URL: use `scrapy robots-lint`, which fetches it")

    @property
    def _counts(self) -> str:
        """The number of names that have no source yet, and the number of all names, as
        text.
        """
        return f"{len(self._missing):,} of {self._count:,}"

    def _give_up(self) -> NoReturn:
        """Print the results so far, list the names that have no source, and end the
        process.
        """
        try:
            self._end()
            terminal.print_note(f"interrupted: no answer yet from {self._counts}")
            terminal.print_notes("no answer", self._missing)
        finally:
            terminal.end_now()
