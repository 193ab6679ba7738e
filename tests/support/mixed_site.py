"""A site of 1,000 pages with a known mix of directives, and what is to come of it."""

from __future__ import annotations

from functools import cache

PAGES = 1_000
SAID = ("", "noindex", "", "nofollow", "all, none", "none", "")
"""What the meta tag of the pages says, in turns; nothing is no tag."""


def said(number: int) -> str:
    """What page *number* says of itself."""
    return SAID[number % len(SAID)]


def children(number: int) -> list[int]:
    """The pages that page *number* links to; page 1 leads to all of them."""
    further = (2 * number, 2 * number + 1, 2 * number + 3)
    return [it for it in further if it <= PAGES]


@cache
def reached() -> frozenset[int]:
    """The pages that a crawl from page 1 fetches if it obeys NOFOLLOW.

    `all, none` says ALL, which overrides what stands beside it (P3).
    """
    found, todo = set(), [1]
    while todo:
        number = todo.pop()
        found.add(number)
        if "nofollow" != said(number) != "none":
            todo += [it for it in children(number) if it not in found]
    return frozenset(found)


@cache
def kept() -> frozenset[int]:
    """Those of them whose items are kept if it obeys NOINDEX."""
    return frozenset(it for it in reached() if said(it) not in ("noindex", "none"))


def html(number: int, filling: str = "") -> str:
    """Page *number*, with *filling* behind its links."""
    content = said(number)
    tag = f'<meta name="robots" content="{content}">' if content else ""
    links = "".join(f'<a href="/{it}">x</a>' for it in children(number))
    return f"<html><head>{tag}</head><body>{links}{filling}</body></html>"
