"""Files and captures that `robots-compare` compares, some of them hostile."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.commands.running import CommandResult, scrapy

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
    **{f"http://{name}.test": "opened" for name in ("split", "wild", "long", "gone")},
    "http://both.test": "both",
    "http://same.test": "unchanged",
    HOSTILE_LABEL: "opened",
}
"""What a switch from Protego to 1994 changes for each site."""

CLOSED = b"User-agent: *\nDisallow: /\n"
CAPTURES = [
    ("http://gone.test/robots.txt", "404 Not Found", CLOSED),
    ("http://forbidden.test/robots.txt", "403 Forbidden", b""),
    ("http://busy.test/robots.txt", "503 Busy", b""),
]


def write_archive(path: Path, captures: list[tuple[str, str, bytes]]) -> Path:
    """Write a WARC file with the URL, status line and body of each response."""
    with path.open("wb") as file:
        for url, status, body in captures:
            response = (
                f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            )
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Target-URI: {url}\r\n"
                "WARC-Date: 2026-11-20T12:00:00Z\r\n"
                "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(response) + len(body)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + response + body + b"\r\n\r\n"))
    return path


def write_files(folder: Path) -> None:
    """Write the files and an archive of the captures."""
    for name, body in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    write_archive(folder / "answers.warc.gz", CAPTURES)


def compare(folder: Path, *args: str) -> CommandResult:
    """Compare all files of *folder* with two parsers."""
    robots = [word for robot in ROBOTS for word in ("--robot", robot)]
    parsers = ("--parsers", "Protego,PythonRobotParser")
    return scrapy("robots-compare", ".", *robots, *parsers, *args, folder=folder)
