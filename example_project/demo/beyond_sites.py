"""The five sites of `./beyond`: files, pages, and the expected outcome of each crawl.

The expected outcomes were determined by hand, not by a parser.
"""

from __future__ import annotations

from dataclasses import dataclass

DELAY = 0.5
"""The Crawl-delay in seconds."""


@dataclass(frozen=True, slots=True)
class Case:
    """One site, the spider that crawls it, and the expected outcome.

    `pages` maps each page to the paths of its links, and to the content of its robots meta tag.
    `fetched` are the pages that must be requested, `exported` those with exported items. If
    `exported` is None, that is all fetched pages.
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
    """Return a front page that links to *paths*, and the pages of *paths*."""
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
