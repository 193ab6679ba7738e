"""The hosts that `./run` crawls.

The expected verdicts for `examplebot` were worked out by hand from the standard of 1994.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from demo import robots_files, server
from demo.server import Response

PAUSE = 1.5
"""The time between the two halves of the slow robots.txt, in seconds."""


@dataclass(frozen=True, slots=True)
class Page:
    path: str
    allowed: bool


@dataclass(frozen=True, slots=True)
class Host:
    """If `robots` is the name of another host, /robots.txt redirects to that host's robots.txt."""

    name: str
    about: str
    robots: Response | str
    pages: tuple[Page, ...] = ()

    @property
    def is_unreachable(self) -> bool:
        """Whether robots.txt cannot be fetched (Ours R5). Such a failure is not stored, so each
        worker tries to fetch the file.
        """
        robots = self.robots
        is_down = HTTPStatus.SERVICE_UNAVAILABLE
        return isinstance(robots, Response) and (
            robots.reset or robots.status == is_down
        )


def allowed(*paths: str) -> tuple[Page, ...]:
    return tuple(Page(path, allowed=True) for path in paths)


def disallowed(*paths: str) -> tuple[Page, ...]:
    return tuple(Page(path, allowed=False) for path in paths)


# The front page of the first host links to every page of all hosts.
HOSTS = (
    Host(
        "records",
        "several records and comments; one record names examplebot",
        server.text(robots_files.RECORDS),
        allowed("/", "/news", "/drafts")
        + disallowed("/archive", "/archive/1994.html", "/drafts/1"),
    ),
    Host(
        "at-once",
        "one record; its six disallowed pages are requested at once",
        server.text(robots_files.AT_ONCE),
        disallowed(*(f"/private/{number}" for number in range(1, 7))) + allowed("/"),
    ),
    Host(
        "extensions",
        "has Allow, Crawl-delay and *, which mean nothing in 1994",
        server.text(robots_files.EXTENSIONS),
        disallowed("/books/free", "/books/rare", "/search?q=a")
        + allowed("/", "/search", "/map.pdf"),
    ),
    Host(
        "blank-line",
        "a blank line splits the record",
        server.text(robots_files.BLANK_LINE),
        allowed("/", "/private"),
    ),
    Host(
        "not-found",
        "404, with a body that looks like a robots.txt",
        server.text(robots_files.EVERYTHING, 404),
        allowed("/", "/page"),
    ),
    Host("forbidden", "403", Response(403), disallowed("/")),
    Host("unavailable", "503", Response(503), disallowed("/", "/page")),
    Host(
        "redirect",
        "redirected to other-host",
        "other-host",
        disallowed("/private") + allowed("/"),
    ),
    Host(
        "slow",
        f"takes {PAUSE} s to arrive",
        Response(200, robots_files.SLOW.encode(), pause=PAUSE),
        disallowed("/private") + allowed("/"),
    ),
    Host(
        "large",
        f"{len(robots_files.LARGE):,} bytes, more than the limit",
        server.text(robots_files.LARGE),
        disallowed("/first", "/entry/7") + allowed("/"),
    ),
    Host(
        "html",
        "an HTML page",
        server.html(robots_files.HTML),
        allowed("/", "/private"),
    ),
    Host(
        "reset",
        "the connection is reset",
        Response(reset=True),
        disallowed("/", "/page"),
    ),
    Host(
        "other-host",
        "the target of the redirect",
        server.text(robots_files.OTHER_HOST),
    ),
)
