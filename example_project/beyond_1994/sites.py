"""The five sites: their files, their pages, and what may be had of them.

What is expected was decided here by hand and not by any parser.
"""

from __future__ import annotations

from dataclasses import dataclass, field

DELAY = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """One site, the spider that crawls it, and what is to come of it.

    ``pages`` have the paths they link to and what their meta tag says. ``fetched`` are
    the pages to be asked for; ``kept`` those whose items are to stay, all if None.
    """

    spider: str
    setting: str
    robots: str
    pages: dict[str, tuple[str, str]]
    fetched: frozenset[str]
    kept: frozenset[str] | None = None
    start: str = "/"
    sitemap: tuple[str, ...] = field(default=())


def plain(*paths: str) -> dict[str, tuple[str, str]]:
    """Return a front page that links to ``paths``, and these."""
    return {"/": (" ".join(paths), ""), **dict.fromkeys(paths, ("", ""))}


CASES = (
    Case(
        "revisited",
        'ROBOTS1994_DIALECT = "revisited"',
        "User-agent: Copernicus townwalker\nDisallow: /t /cgi-bin/\n",
        plain("/tea-time", "/cgi-bin/x", "/open"),
        frozenset({"/", "/open"}),
    ),
    Case(
        "extended",
        'ROBOTS1994_DIALECT = "extended"',
        "User-agent: *\nAllow: /archive/index\nDisallow: /archive\n",
        plain("/archive/index", "/archive/1996", "/news"),
        frozenset({"/", "/archive/index", "/news"}),
    ),
    Case(
        "patient",
        'ROBOTS1994_DIALECT = "extended"; ROBOTS1994_CRAWL_DELAY = 2',
        f"User-agent: *\nCrawl-delay: {DELAY}\nDisallow: /shut\n",
        plain("/1", "/2", "/3", "/shut"),
        frozenset({"/", "/1", "/2", "/3"}),
    ),
    Case(
        "mapped",
        'ROBOTS1994_DIALECT = "extended", a SitemapSpider',
        "Sitemap: /map.xml\nUser-agent: *\nDisallow: /draft\n",
        plain("/a", "/b", "/draft"),
        frozenset({"/map.xml", "/a", "/b"}),
        frozenset({"/a", "/b"}),
        start="/robots.txt",
        sitemap=("/a", "/b", "/draft"),
    ),
    Case(
        "reader",
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
