"""Faults of a page whose robots.txt is sound: it is never lost, and nothing opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.bombs import GZIP_BOMB, coded
from tests.faults.fault import PageFault
from tests.support import replies
from tests.support.replies import Reply

if TYPE_CHECKING:
    from tests.support.site import Site

REFRESH = '<html><meta http-equiv="refresh" content="0; url=/closed"></html>'
MANY = 0
"""For `asked`: robots.txt once, the page as often as the client tries again."""


def page_faults(site: Site) -> list[PageFault]:
    """Pages that misbehave; the Retry middleware of these crawls tries once more."""

    def to(slug: str, path: str) -> Reply:
        return replies.redirect(site.url(path, host=f"{slug}--b.test"))

    loop = replies.redirect("/open")
    site.answer("/robots.txt", replies.status(503), at="p-unknown--b.test")
    return [
        PageFault("p-404", "status 404", "came 404", replies.status(404), 2),
        PageFault("p-403", "status 403", "came 403", replies.status(403), 2),
        PageFault("p-503", "status 503", "came 503", replies.status(503), 3),
        PageFault("p-reset", "reset", "failed", replies.reset(), MANY),
        PageFault(
            "p-cut", "reset in the middle", "failed", replies.reset(b"12345", 2), MANY
        ),
        PageFault(
            "p-short",
            "closes too early",
            "failed",
            replies.truncated(b"12345", 99),
            MANY,
        ),
        PageFault(
            "p-silent", "says nothing", "failed", replies.black_hole(), MANY, hangs=True
        ),
        PageFault("p-bomb", "gzip of 64 MB", "failed", coded(GZIP_BOMB, "gzip"), 2),
        PageFault(
            "p-endless",
            "2 GB announced",
            "failed",
            Reply(body=b"x" * 2**20, length=2 * 10**9, repeat=2000),
            MANY,
        ),
        PageFault(
            "p-refresh",
            "meta refresh to what is closed",
            "rule",
            replies.html(REFRESH),
            2,
        ),
        PageFault(
            "p-closed",
            "redirect to what is closed",
            "rule",
            replies.redirect("/closed"),
            2,
        ),
        PageFault(
            "p-other",
            "redirect to what is closed elsewhere",
            "rule",
            to("p-other", "/closed"),
            3,
        ),
        PageFault(
            "p-chain",
            "chain to what is closed",
            "rule",
            to("p-chain", "/1"),
            4,
            further=(("/1", replies.redirect("/closed")),),
        ),
        PageFault(
            "p-unknown",
            "redirect to an unreachable policy",
            "unreachable",
            to("p-unknown", "/page"),
            3,
        ),
        PageFault(
            "p-far",
            "redirect to an open page elsewhere",
            "came 200",
            to("p-far", "/page"),
            4,
        ),
        PageFault("p-loop", "redirect to itself", "failed", loop, MANY),
        PageFault(
            "p-file",
            "redirect to file:",
            "came 302",
            replies.redirect("file:///etc/hostname"),
            2,
        ),
        PageFault("p-gone", "status 204", "came 204", replies.status(204), 2),
    ]
