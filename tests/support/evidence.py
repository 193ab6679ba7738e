"""Functions that read the evidence of crawls without our package.

The functions use only FastWARC and the standard library.
"""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastwarc.warc import ArchiveIterator

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Capture:
    """One record of a WARC file.

    `start_line` is the start line of the HTTP message in the record, and `http` contains
    the headers of this message. `status` is 0 if the record is not an HTTP response.
    """

    kind: str
    headers: dict[str, str]
    status: int
    start_line: str
    http: dict[str, str]
    body: bytes

    @property
    def record(self) -> str:
        """The id of the record, in the form in which a journal line contains the id."""
        return self.headers["WARC-Record-ID"].strip("<>")

    @property
    def url(self) -> str:
        """The URL whose request or response the record contains."""
        return self.headers["WARC-Target-URI"]

    def names(self, header: str) -> str:
        """Return the id of another record to which *header* refers."""
        return self.headers[header].strip("<>")


def captures(path: Path, *kinds: str) -> list[Capture]:
    """Return the records of a WARC file, or only the records of the given *kinds*."""
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            http = record.http_headers
            capture = Capture(
                record.headers["WARC-Type"],
                dict(record.headers.astuples()),
                (http and http.status_code) or 0,
                http.status_line if http else "",
                dict(http.astuples()) if http else {},
                record.reader.read(),
            )
            if not kinds or capture.kind in kinds:
                found.append(capture)
    return found


def warcs(folder: Path) -> list[Path]:
    """Return the WARC files of *folder*, in the order of their names."""
    return sorted(folder.glob("*.warc.gz"))


def journals(folder: Path) -> list[Path]:
    """Return the journals of *folder*, in the order of their names."""
    return sorted(folder.glob("*.jsonl.gz"))


def lines(path: Path) -> tuple[Line, list[Line]]:
    """Return the header of a journal, and the list of all further lines of the journal."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        header, *rest = map(json.loads, file)
    return header, rest


def only(folder: Path) -> tuple[list[Capture], Line, list[Line]]:
    """Return the evidence of the only crawl in *folder*: the WARC records, the journal's
    header and the journal's lines.
    """
    (warc,) = warcs(folder)
    (journal,) = journals(folder)
    return captures(warc), *lines(journal)


def members(path: Path) -> list[bytes]:
    """Return the members of a gzip file, decompressed."""
    found, rest = [], path.read_bytes()
    while rest:
        member = zlib.decompressobj(31)
        found.append(member.decompress(rest))
        rest = member.unused_data
    return found


def write_members(path: Path, unpacked: Iterable[bytes]) -> None:
    """Write a gzip file with the members *unpacked*."""
    path.write_bytes(b"".join(gzip.compress(it, mtime=0) for it in unpacked))


def change(path: Path, old: bytes, new: bytes) -> None:
    """Replace the first *old* with *new* in the text of a gzip file.

    The division of the file into gzip members does not change.
    """
    unpacked = members(path)
    number = next(at for at, text in enumerate(unpacked) if old in text)
    unpacked[number] = unpacked[number].replace(old, new, 1)
    write_members(path, unpacked)
