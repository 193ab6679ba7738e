"""Sources: where the robots.txt files to compare come from, one after the other."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from scrapy_robots1994.compare import Capture
from scrapy_robots1994.errors import MissingExtra, RobotsError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.policy import Outcome, outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Source: TypeAlias = "Path | Capture"
"""A file that is still to be read, or what was found at /robots.txt of an origin."""

NOWHERE = "http://localhost"
"""The origin of a file whose name says none."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)
_ARCHIVES = (".warc", ".warc.gz")

# What the status of an answer means where nothing is known from before (R3 to R5).
_UNIFORM_VERDICTS = {
    Outcome.FORBIDDEN: Verdict(allowed=False, reason=Reason.FORBIDDEN),
    Outcome.ABSENT: Verdict(allowed=True, reason=Reason.ABSENT),
    Outcome.UNREACHABLE: Verdict(allowed=False, reason=Reason.UNREACHABLE),
}
_REDIRECT = 3


def is_archive(path: Path) -> bool:
    """Whether *path* is a WARC file by its name."""
    return path.name.lower().endswith(_ARCHIVES)


def files_of(
    paths: Iterable[Path], on_fault: Callable[[OSError], object]
) -> Iterator[Path]:
    """All files of *paths*; those of a folder in order, hidden ones left out.

    *on_fault* is called for each folder that cannot be looked into.
    """
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for folder, folders, names in os.walk(path, onerror=on_fault):
            folders[:] = sorted(it for it in folders if not it.startswith("."))
            yield from (
                Path(folder, name) for name in sorted(names) if not name.startswith(".")
            )


def sources_of(
    files: Iterable[Path], on_fault: Callable[[str], object]
) -> Iterator[Source]:
    """*files* as they are; of an archive each capture of a robots.txt in it.

    *on_fault* is told, in a line, which archive or capture could not be read.
    """
    for path in files:
        if not is_archive(path):
            yield path
            continue
        try:
            yield from _captures(path, on_fault)
        except (RobotsError, GeneratorExit):
            raise
        except Exception as error:  # noqa: BLE001 - of damage comes any error
            is_told = not isinstance(error, (AttributeError, TypeError))
            why = (is_told and str(error)) or "a record is damaged"
            on_fault(
                escape_control_chars(f"{path}: cannot be read from here on: {why}", 300)
            )


def capture_of(source: Source) -> Capture:
    """What *source* holds; a file is read as the answer of the host it is named by."""
    if isinstance(source, Capture):
        return source
    host = _host(source)
    label = f"http://{host}" if host else str(source)
    return Capture(label, source.read_bytes())


def origin_of(capture: Capture) -> str:
    """The origin to ask about; a label that is none has a stand-in."""
    origin = Origin.of(capture.label)
    return NOWHERE if origin is None else str(origin)


def _host(path: Path) -> str | None:
    """The host that *path* is named by, as `example.org`, or by its folder, as
    `example.org/robots.txt`.
    """
    stem = path.stem if path.suffix.lower() == ".txt" else path.name
    for name in (stem, path.absolute().parent.name):
        if _HOST.fullmatch(unquote(name)):
            return name
        if stem.lower() != "robots":
            break
    return None


def _captures(path: Path, on_fault: Callable[[str], object]) -> Iterator[Capture]:
    """Each answer to GET /robots.txt in a WARC file, read as it streams by."""
    try:
        from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - an extra
    except ImportError as error:  # pragma: no cover - without the extra
        msg = (
            "ParsedFile a WARC file needs warcio, which is not installed: "
            "pip install 'scrapy_robots1994[report]'"
        )
        raise MissingExtra(msg) from error
    with path.open("rb") as file:
        archive, record = ArchiveIterator(file), None
        for record in archive:
            url = record.rec_headers.get_header("WARC-Target-URI") or ""
            origin = Origin.of(url.strip("<>"))
            is_answer = record.rec_type == "response" and record.http_headers
            if origin is None or not is_answer or target_of(url) != "/robots.txt":
                continue
            word = record.http_headers.get_statuscode() or "0"
            if not (word.isascii() and word.isdigit()):
                on_fault(
                    escape_control_chars(
                        f"{path}: {url}: {word!r} is no HTTP status", 300
                    )
                )
                continue
            status = int(word[:4])
            # Ours R2: where it leads is a capture of its own.
            if status // 100 == _REDIRECT:
                continue
            body = record.content_stream().read(MOST_BYTES)
            if _breaks_off(record):
                on_fault(
                    escape_control_chars(f"{path}: {url}: the record breaks off", 300)
                )
                continue
            yield Capture(str(origin), body, _UNIFORM_VERDICTS.get(outcome_of(status)))
        # What makes no record any more is passed over, and then not counted.
        is_whole = archive.offset == archive.fh.tell()
        if not is_whole or (record is not None and _breaks_off(record)):
            on_fault(escape_control_chars(f"{path}: breaks off within a record", 300))


def _breaks_off(record: Any) -> bool:
    """Whether less of *record*, which is then read, is there than it says."""
    said = record.rec_headers.get_header("Content-Length") or ""
    if not said.isdigit():
        return True
    while record.raw_stream.read(_PIECE):
        pass
    is_short: bool = record.raw_stream.limit > 0
    return is_short


MOST_BYTES = 4_000_000
"""Bytes of one capture that are read; what is obeyed of them the limit says."""
_PIECE = 65_536
