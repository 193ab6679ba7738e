"""Where commands read: files, folders of files, lists of URLs, standard input."""

from __future__ import annotations

import os
import stat
import sys
from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes

from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STDIN = "-"


def is_url(name: str) -> bool:
    """Whether *name* is to be fetched, not opened."""
    return Origin.of(name) is not None


def expand(names: Iterable[str]) -> list[str]:
    """Return *names*, each folder replaced by all files under it, in order.

    Hidden files and folders are left out. A folder that cannot be listed is an item of
    its own: reading it says why. Raises `WrongUse` for a folder without a file, which
    would not be an answer at all.
    """
    found: list[str] = []
    for name in dict.fromkeys(names):
        inside = list(_files_under(name)) if _is_folder(name) else [name]
        if not inside:
            msg = f"no file is in the folder {escape_control_chars(name, 300)}: name another one"
            raise WrongUse(msg)
        found += inside
    return found


def _is_folder(name: str) -> bool:
    """Whether *name* is a folder; what cannot be looked at is not."""
    try:
        return name != STDIN and not is_url(name) and Path(name).is_dir()
    except OSError:
        return False


def _files_under(folder: str) -> Iterator[str]:
    """Yield the files under *folder* that are not hidden, and folders without access."""
    faults: list[str] = []
    walked = os.walk(folder, onerror=lambda error: faults.append(error.filename))
    for path, folders, names in walked:
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(path, name)
            if not (name.startswith(".") or _is_special(file)):
                yield str(file)
    yield from faults


def _is_special(path: Path) -> bool:
    """Whether *path* is a pipe, a socket or a device: reading it may never end."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def read_bytes(name: str) -> bytes:
    """Return the bytes of a file, or of standard input for `-`; else OSError."""
    if name == STDIN:
        return _standard_input()
    try:
        return Path(name).read_bytes()
    except IsADirectoryError:
        # Why the files in it are not read in its place.
        next(Path(name).iterdir(), None)
        raise


def _standard_input() -> bytes:
    """Return the bytes of standard input; raise `WrongUse` where it is closed."""
    if sys.stdin is None:
        msg = "- names standard input, which is closed: name a file"
        raise WrongUse(msg)
    return sys.stdin.buffer.read()


def urls_from(args: list[str], named: str | None) -> list[str]:
    """Return the URLs of the arguments, of the file *named*, and of standard input.

    That is read for `-`, or when no URL is given otherwise and it is not a terminal.
    Raises `WrongUse` without any URL.
    """
    # What a shell passes on is bytes, too.
    urls = [_as_url(os.fsencode(arg)) for arg in args if arg != STDIN]
    if named is not None and named != STDIN:
        try:
            urls += listed(Path(named).read_bytes())
        except OSError as error:
            msg = f"--urls: {what_failed(error)}: name a file with one URL a line"
            raise WrongUse(msg) from None
    is_piped = sys.stdin is not None and not sys.stdin.isatty()
    if STDIN in (*args, named) or (is_piped and not (urls or named)):
        urls += listed(_standard_input())
    if not urls:
        msg = "no URL given: name one, or a file of them with --urls, or pipe them in"
        raise WrongUse(msg)
    return urls


def why_unread(error: OSError) -> str:
    """Return why a file could not be read, and what to do, as one printable line.

    The file is not named: the line that shows it begins with its name.
    """
    reason = escape_control_chars(str(error.strerror or error), 300)
    return f"{reason}: check the name and the rights of the file"


def what_failed(error: OSError) -> str:
    """Return what *error* says of which file, as one printable line."""
    return escape_control_chars(
        f"{error.strerror or error}: {error.filename or 'input'}", 300
    )


def listed(body: bytes) -> Iterator[str]:
    """Yield the URLs of a list: one a line, blank lines and comments left out."""
    for line in body.removeprefix(BOM_UTF8).split(b"\n"):
        url = _as_url(line).strip()
        if url and not url.startswith("#"):
            yield url


def _as_url(line: bytes) -> str:
    """Return *line* as a URL; what is not UTF-8 as it would be sent, percent-encoded."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return quote_from_bytes(line, safe=bytes(range(128)))
