"""The five sites of `./beyond`. The expected outcomes were worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass

DELAY = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """`pages` maps each path to the links on its page and the content of its robots meta tag.

    `fetched` contains the paths that must be fetched, and `exported` those that must yield an item.
    If `exported` is None, every fetched page must yield an item.
    """

    spider: str
    settings: str
    robots: str
    pages: dict[str, tuple[str, str]]
    fetched: frozenset[str]
    exported: frozenset[str] | None = None
    start: str = "/"
    sitemap: tuple[str, ...] = ()


def linked(*paths: str) -> dict[str, tuple[str, str]]:
    """Return a front page with links to *paths*, and an empty page for each of them."""
    return {"/": (" ".join(paths), ""), **dict.fromkeys(paths, ("", ""))}


CASES = (
    Case(
        "revisited",
        'ROBOTS1994_DIALECT = "revisited"',
        "User-agent: otherbot examplebot\nDisallow: /t /cgi-bin/\n",
        linked("/tea-time", "/cgi-bin/x", "/public"),
        frozenset({"/", "/public"}),
    ),
    Case(
        "extended",
        'ROBOTS1994_DIALECT = "extended"',
        "User-agent: *\nAllow: /archive/index\nDisallow: /archive\n",
        linked("/archive/index", "/archive/1996", "/news"),
        frozenset({"/", "/archive/index", "/news"}),
    ),
    Case(
        "crawl-delay",
        'ROBOTS1994_DIALECT = "extended"; ROBOTS1994_CRAWL_DELAY = 2',
        f"User-agent: *\nCrawl-delay: {DELAY}\nDisallow: /private\n",
        linked("/1", "/2", "/3", "/private"),
        frozenset({"/", "/1", "/2", "/3"}),
    ),
    Case(
        "sitemaps",
        'ROBOTS1994_DIALECT = "extended", a SitemapSpider',
        "Sitemap: /sitemap.xml\nUser-agent: *\nDisallow: /draft\n",
        linked("/a", "/b", "/draft"),
        frozenset({"/sitemap.xml", "/a", "/b"}),
        frozenset({"/a", "/b"}),
        start="/robots.txt",
        sitemap=("/a", "/b", "/draft"),
    ),
    Case(
        "page-directives",
        "ROBOTS1994_PAGES = True",
        "User-agent: *\nDisallow:\n",
        {
            "/": ("/list /note /end", ""),
            "/list": ("/leaf", "noindex, follow"),
            "/note": ("/hidden", "NOFOLLOW"),
            "/end": ("/hidden", "none"),
            "/leaf": ("", ""),
            "/hidden": ("", ""),
        },
        frozenset({"/", "/list", "/note", "/end", "/leaf"}),
        frozenset({"/", "/note", "/leaf"}),
    ),
)
