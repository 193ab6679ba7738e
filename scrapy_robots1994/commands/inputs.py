"""Where commands read: files, folders of files, lists of URLs, standard input."""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.spellings import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STDIN = "-"


def is_url(name: str) -> bool:
    """Whether *name* is to be fetched, not opened."""
    return Origin.of(name) is not None


def files_in(names: Iterable[str]) -> list[str]:
    """Return *names*, each folder replaced by the files in it, in their order.

    What cannot be looked into stands for itself: to read it tells why. Raises
    `UsageError` for a folder without a file, which would be no answer at all.
    """
    found = []
    for name in names:
        try:
            is_folder = name != STDIN and not is_url(name) and Path(name).is_dir()
            inside = _inside(name) if is_folder else [name]
        except OSError:
            inside = [name]
        if not inside:
            msg = f"no file is in the folder {escape_control_chars(name, 300)}: name another one"
            raise UsageError(msg)
        found += inside
    return found


def _inside(folder: str) -> list[str]:
    """Return the files in *folder*, sorted; else OSError."""
    with os.scandir(folder) as entries:
        # A folder may be listed where its files may not be looked at: unlike
        # `Path.is_file`, this knows what the list says.
        return sorted(str(Path(it.path)) for it in entries if _may_be_read(it))


def _may_be_read(entry: os.DirEntry[str]) -> bool:
    """Whether *entry* is a file, or says why not only when it is read."""
    try:
        return entry.is_file()
    except OSError:
        return True


def read_bytes(name: str) -> bytes:
    """Return the bytes of a file, or of standard input for `-`; else OSError."""
    return sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()


def urls_from(args: list[str], named: str | None) -> list[str]:
    """Return the URLs of the arguments, of the file *named*, and of standard input.

    That is read for `-`, or when no URL is given otherwise and it is no terminal.
    Raises `UsageError` when there is none at all.
    """
    # What a shell hands on is bytes, too.
    urls = [_as_url(os.fsencode(arg)) for arg in args if arg != STDIN]
    if named is not None and named != STDIN:
        try:
            urls += listed(Path(named).read_bytes())
        except OSError as error:
            msg = f"--urls: {_why(error)}: name a file with one URL a line"
            raise UsageError(msg) from None
    if STDIN in (*args, named) or not (urls or named or sys.stdin.isatty()):
        urls += listed(sys.stdin.buffer.read())
    if not urls:
        msg = "no URL given: name one, or a file of them with --urls, or pipe them in"
        raise UsageError(msg)
    return urls


def why_unread(error: OSError) -> str:
    """Return why a file could not be read, and what to do, as one printable line."""
    return f"{_why(error)}: check the name and the rights of the file"


def _why(error: OSError) -> str:
    """Return what *error* says of which file."""
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
    """Return *line* as a URL; what is no UTF-8 as it would be sent, percent-encoded."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return as_text(line)
