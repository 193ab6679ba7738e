"""Robots.txt files and WARC captures for `robots-compare`. Some of the files are hostile."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from itertools import starmap
from pathlib import Path

from tests.support.commands import CommandResult, scrapy

HOSTILE = (
    "User-agent: *\n"
    "Disallow: /*<script>alert(1)</script>\n"
    "Disallow: /\"onmouseover=alert(2) '\n"
    "# <img src=http://evil.test/x.png onerror=alert(3)> {{ 7 * 7 }} </pre></table>\n"
    "Allow: /\u202e\x1b[31m<b>\n"
)
HOSTILE_LABEL = 'evil.test"></script><script>alert(6)</script>%DATA%'
ROBOTS = ("me", '<i>"me"</i>')
FILES = {
    "allow.test": b"User-agent: *\nDisallow: /a\nAllow: /a/b\n",
    "both.test": b"User-agent: *\nDisallow: /*.gif\nDisallow: /a\nAllow: /a/b\n",
    "same.test": b"User-agent: *\nDisallow: /a\n",
    "split.test": b"User-agent: *\n\nDisallow: /a\n",
    "wild.test": b"User-agent: *\nDisallow: /*.php$\n",
    "long.test": b"User-agent: *\n"
    + b"".join(b"# comment %d\n" % number for number in range(900))
    + b"Disallow: /x*y\n",
    HOSTILE_LABEL: HOSTILE.encode(),
}
CHANGES = {
    **{f"http://{name}.test": "closed" for name in ("allow", "forbidden", "busy")},
    **{f"http://{name}.test": "opened" for name in ("wild", "long", "gone")},
    **{f"http://{name}.test": "opened" for name in ("split", "twice")},
    "http://both.test": "both",
    "http://same.test": "unchanged",
    HOSTILE_LABEL: "opened",
}
"""The change for each site after a switch from Protego to the dialect "1994"."""

CLOSED = b"User-agent: *\nDisallow: /\n"
CAPTURES = [
    ("http://gone.test/robots.txt", "404 Not Found", CLOSED),
    ("http://forbidden.test/robots.txt", "403 Forbidden", b""),
    ("http://busy.test/robots.txt", "503 Busy", b""),
    # The switch from Protego opens fewer URLs in the second file of the site than in
    # the first file. The report must still show the change of the first file.
    ("http://twice.test/robots.txt", "200 OK", FILES["wild.test"]),
    ("http://twice.test/robots.txt", "200 OK", FILES["split.test"]),
    # The command skips two captures: a page that is not a robots.txt, and a redirect.
    ("http://gone.test/", "200 OK", b"User-agent: *\nDisallow: /*a\n"),
    ("http://moved.test/robots.txt", "301 Moved\r\nLocation: /r", b""),
]


def capture(url: str, status: str, body: bytes) -> bytes:
    """Return a WARC record with a response from *url*."""
    response = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Target-URI: {url}\r\n"
        "WARC-Date: 2026-11-20T12:00:00Z\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(response) + len(body)}\r\n\r\n"
    )
    return head.encode() + response + body + b"\r\n\r\n"


def write_archive(path: Path, records: Iterable[bytes]) -> Path:
    """Write a compressed WARC file with *records*, and return its path."""
    path.write_bytes(b"".join(map(gzip.compress, records)))
    return path


def write_files(folder: Path) -> None:
    """Write the robots.txt files, and a WARC archive of the captures, into *folder*."""
    for name, body in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    write_archive(folder / "answers.warc.gz", starmap(capture, CAPTURES))


def compare(folder: Path, *args: str) -> CommandResult:
    """Compare how two parsers read all files in *folder*."""
    robots = [word for robot in ROBOTS for word in ("--robot", robot)]
    parsers = ("--parsers", "Protego,PythonRobotParser")
    return scrapy("robots-compare", ".", *robots, *parsers, *args, folder=folder)
