"""Robots.txt files for `robots-compare`, one of them hostile."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import CommandResult, scrapy

HOSTILE = (
    "User-agent: *\n"
    "Disallow: /*<script>alert(1)</script>\n"
    "Disallow: /\"onmouseover=alert(2) '\n"
    "# <img src=http://evil.test/x.png onerror=alert(3)> {{ 7 * 7 }} </pre></table>\n"
    "Allow: /\u202e\x1b[31m<b>\n"
)
HOSTILE_LABEL = 'evil.test"></SCRIPT><script>alert(6)</script>%DATA%'
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
    "allow.test": "closed",
    "both.test": "both",
    "same.test": "unchanged",
    **{f"{name}.test": "opened" for name in ("wild", "long", "split")},
    HOSTILE_LABEL: "opened",
}
"""How each site changes if the dialect "1994" replaces Protego."""

CLOSED = b"User-agent: *\nDisallow: /\n"


def write_files(folder: Path) -> None:
    for name, body in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)


def compare(folder: Path, *args: str) -> CommandResult:
    robots = [word for robot in ROBOTS for word in ("--robot", robot)]
    parsers = ("--parsers", "Protego,PythonRobotParser")
    return scrapy("robots-compare", ".", *robots, *parsers, *args, folder=folder)
