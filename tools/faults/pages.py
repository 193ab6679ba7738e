"""Faults of a page with a valid robots.txt: each request ends, and no rule is ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import replies
from tests.support.replies import Reply
from tools.faults.bombs import GZIP_BOMB, coded
from tools.faults.fault import PageFault

if TYPE_CHECKING:
    from tests.support.site import Site

REFRESH = '<html><meta http-equiv="refresh" content="0; url=/closed"></html>'
SILENCE = replies.black_hole()
TWO_GIGABYTES = Reply(body=b"x" * 2**20, length=2 * 10**9, repeat=2000)
MANY = 0
"""For `requested`: robots.txt once, the page as often as the client retries."""


ON_ITS_HOST = (
    ("p-404", "status 404", "fetched 404", replies.status(404), 2),
    ("p-403", "status 403", "fetched 403", replies.status(403), 2),
    ("p-204", "status 204", "fetched 204", replies.status(204), 2),
    ("p-503", "status 503", "fetched 503", replies.status(503), 3),
    ("p-reset", "reset", "failed", replies.reset(), MANY),
    ("p-cut", "reset in the middle", "failed", replies.reset(b"12345", 2), MANY),
    ("p-short", "closes too early", "failed", replies.truncated(b"123", 99), MANY),
    ("p-bomb", "gzip of 64 MB", "failed", coded(GZIP_BOMB, "gzip"), 2),
    ("p-2gb", "2 GB announced", "failed", TWO_GIGABYTES, MANY),
    ("p-loop", "redirect to itself", "failed", replies.redirect("/open"), MANY),
    ("p-file", "redirect to file:", "fetched 302", replies.redirect("file:///etc"), 2),
    ("p-closed", "redirect to /closed", "rule", replies.redirect("/closed"), 2),
    ("p-refresh", "meta refresh to /closed", "rule", replies.html(REFRESH), 2),
)
ELSEWHERE = (
    ("p-other", "redirect to /closed elsewhere", "rule", "/closed", 3),
    ("p-chain", "chain to /closed elsewhere", "rule", "/to-closed", 4),
    ("p-unknown", "redirect to an unreachable policy", "unreachable", "/page", 4),
    ("p-far", "redirect to an open page elsewhere", "fetched 200", "/page", 4),
)


def page_faults(site: Site) -> list[PageFault]:
    """Return faulty pages; the Retry middleware of these crawls retries once."""
    site.answer("/robots.txt", replies.status(503), at="p-unknown--b.test")
    site.answer("/to-closed", replies.redirect("/closed"))
    elsewhere = (
        (slug, what, ends, site.url(path, host=f"{slug}--b.test"), requested)
        for slug, what, ends, path, requested in ELSEWHERE
    )
    return [
        PageFault("p-silent", "says nothing", "failed", SILENCE, MANY, hangs=True),
        *(PageFault(*each) for each in ON_ITS_HOST),
        *(
            PageFault(slug, what, ends, replies.redirect(url), requested)
            for slug, what, ends, url, requested in elsewhere
        ),
    ]
