"""A site of 1,000 pages with a known mix of page directives, and the expected results of a
crawl.
"""

from __future__ import annotations

from functools import cache

PAGES = 1_000
DIRECTIVES = ("", "noindex", "", "nofollow", "all, none", "none", "")
"""The contents of the robots meta tags, which the pages use in rotation. "" means that a
page has no tag.
"""


def directives_of(number: int) -> str:
    """Return the directives of page *number*."""
    return DIRECTIVES[number % len(DIRECTIVES)]


def children(number: int) -> list[int]:
    """Return the numbers of the pages that are linked from page *number*. All pages can be
    reached from page 1.
    """
    further = (2 * number, 2 * number + 1, 2 * number + 3)
    return [it for it in further if it <= PAGES]


@cache
def reachable() -> frozenset[int]:
    """Return the pages that a crawl from page 1 fetches if the crawl obeys NOFOLLOW.

    In `all, none`, the term ALL overrides the term NONE (P3, ALL).
    """
    found, todo = set(), [1]
    while todo:
        number = todo.pop()
        found.add(number)
        if "nofollow" != directives_of(number) != "none":
            todo += [it for it in children(number) if it not in found]
    return frozenset(found)


@cache
def indexed() -> frozenset[int]:
    """Return the reachable pages whose items are exported if the crawl obeys NOINDEX."""
    return frozenset(
        it for it in reachable() if directives_of(it) not in ("noindex", "none")
    )


def html(number: int, filling: str = "") -> str:
    """Return the HTML of page *number*, with the text *filling* after the links."""
    content = directives_of(number)
    tag = f'<meta name="robots" content="{content}">' if content else ""
    links = "".join(f'<a href="/{it}">x</a>' for it in children(number))
    return f"<html><head>{tag}</head><body>{links}{filling}</body></html>"
