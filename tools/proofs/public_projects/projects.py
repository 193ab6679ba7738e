"""The public projects, each at its tested commit.

Most are exercises. Two kinds cannot be tested unmodified: a spider that has only
`start_requests` requests nothing on newer Scrapy, with or without the plugin; and the
add-on does nothing in a project that sets `ROBOTSTXT_OBEY = False`. The last project
here does, and gets `True` on the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.proofs.public_projects import pages
from tools.proofs.public_projects.spider_run import Page, PublicProject, SpiderRun

if TYPE_CHECKING:
    from collections.abc import Sequence

QUOTES = "http://quotes.toscrape.com/"
BOOKS = "http://books.toscrape.com/"
NEWS = "http://news.yahoo.co.jp/"
WIRED = "http://wired.jp/"
DMOZ = "http://www.dmoz.org/Computers/Programming/Languages/Python/"
EXAMPLES = "http://matplotlib.org/examples/index.html"
COVERS = "https://books.toscrape.com/"


def _feed(spider: str, site: str, names: Sequence[str], closed: str) -> SpiderRun:
    """Return the run of a spider that reads the feeds of one site."""
    urls = tuple(f"{site}{name}.xml" for name in names)
    return SpiderRun(spider, urls, pages.feeds(urls), closed, "title")


QUOTESBOT = tuple(
    SpiderRun(spider, (QUOTES,), pages.quotes(QUOTES, 4), "/page/3/", "text")
    for spider in ("toscrape-css", "toscrape-xpath")
)

LISTED = SpiderRun(
    "books",
    (BOOKS,),
    pages.shelf(BOOKS, ["one", "two"], "/catalogue/page-2.html")
    | pages.shelf(f"{BOOKS}catalogue/page-2.html", ["three", "four"]),
    "/catalogue/t",
    "title",
)

# Front page, categories, books: books that only a disallowed category links to are missing.
CATEGORIES = tuple(f"/catalogue/category/books/{name}/" for name in ("art", "war"))
RULED = SpiderRun(
    "books",
    (BOOKS,),
    {BOOKS: pages.html(pages.anchors(CATEGORIES), *CATEGORIES)}
    | pages.shelf(BOOKS + CATEGORIES[0][1:], ["colour", "form"])
    | pages.shelf(BOOKS + CATEGORIES[1][1:], ["form", "siege"]),
    CATEGORIES[1],
    "title",
)

# Only images are disallowed, so all books are found.
COVERED = SpiderRun(
    "bookspider",
    (COVERS,),
    {
        COVERS: pages.html(
            '<div class="side_categories"><ul><li><ul><li><a href="/catalogue/all/">all'
            "</a></li></ul></li></ul></div>",
            "/catalogue/all/",
        )
    }
    | pages.shelf(f"{COVERS}catalogue/all/", ["ant", "bee"], covers="/media/"),
    "/media/b",
    "title",
    # Creates the database that the spider needs.
    before="database_setup.py",
)

HEADLINES = tuple(
    SpiderRun(spider, (NEWS,), pages.headlines(NEWS, (1, 2, 3)), "/pickup/2", "title")
    for spider in ("news", "news_crawl")
)

# The spider reads robots.txt for the sitemaps, so there is one in both crawls.
POSTS = [f"{WIRED}2015/{day}/" for day in ("01/01", "01/02", "02/01")]
MAPPED = SpiderRun(
    "wiredjp",
    (f"{WIRED}robots.txt",),
    {
        f"{WIRED}robots.txt": Page(b"", links=("/sitemap.xml",)),
        f"{WIRED}sitemap.xml": pages.sitemap(
            "sitemapindex", "sitemap", [f"{WIRED}post-2015-all.xml"]
        ),
        f"{WIRED}post-2015-all.xml": pages.sitemap("urlset", "url", POSTS),
    }
    | {
        url: pages.html(f'<h1 class="post-title">{url}</h1>', items=[url])
        for url in POSTS
    },
    "/2015/01/02/",
    "title",
    robots=f"Sitemap: {WIRED}sitemap.xml\n\n",
)

FEEDS = (
    _feed(
        "rss_donga",
        "https://rss.donga.com/",
        ("politics", "economy", "national", "culture", "international", "sports"),
        "/sports",
    ),
    # One line disallows three of them.
    _feed(
        "rss_khan",
        "http://www.khan.co.kr/rss/rssdata/",
        (
            *("politic_news", "economy_news", "society_news", "culture_news"),
            *("kh_world", "kh_sports", "kh_entertainment", "it_news"),
        ),
        "/rss/rssdata/kh_",
    ),
)

LISTS = {
    f"{DMOZ}Books/": {"Plain": "a book", "Loud": "on politics", "Old": "of 1994"},
    f"{DMOZ}Resources/": {"Tools": "to work with"},
}

PROJECTS = (
    PublicProject(
        "scrapy/quotesbot",
        "16ec3f4176db67ca9132f7e4431d7823e5e28974",
        "Spider: CSS, XPath",
        QUOTESBOT,
    ),
    PublicProject(
        "scrapy/booksbot",
        "959a7dcdcf34c12f446a20e6e7bbecf97697f0fd",
        "Spider, HTTP cache on",
        (LISTED,),
    ),
    PublicProject(
        "scrapy/dirbot",
        "8e995447361ad83f6693d2e07d17d90912268ace",
        "Spider, pipeline that drops items",
        (
            SpiderRun(
                "dmoz",
                tuple(LISTS),
                {url: pages.directory(names) for url, names in LISTS.items()},
                "/Computers/Programming/Languages/Python/Resources/",
                "name",
            ),
        ),
    ),
    PublicProject(
        "aayushmaanhooda/BooksCrawler",
        "07bca63350747625f1ae855d57d120965d044b63",
        "CrawlSpider, ADDONS of its own, delay",
        (RULED,),
        folder="bookCrawl",
    ),
    PublicProject(
        "hirokishingu/scrapy-project",
        "11fa51c13a2ac307c3a3c6e7f766816100f50fad",
        "Spider, CrawlSpider, SitemapSpider, delay",
        (*HEADLINES, MAPPED),
    ),
    PublicProject(
        "RobinRheem/spideynews",
        "70fdf28194bb0a0a4fc1537df6faa629ba20d267",
        "XMLFeedSpider, HTTPS",
        FEEDS,
        folder="spideynews",
    ),
    PublicProject(
        "wsyshengyun/my_scrapy_test",
        "fadf0bec02fe4688ef6b4dc853076c349ad92a88",
        "Spider, FilesPipeline",
        (
            SpiderRun(
                "matplot",
                (EXAMPLES,),
                pages.examples(EXAMPLES, ["bar", "line", "pie"]),
                "/files/line",
                "file_urls",
            ),
        ),
        folder="project/filescrapy",
    ),
    PublicProject(
        "mohneeshrautela/scrapy-book-project",
        "c9ab89a0e759dfbddb1e9e50a851e486d1915cc1",
        "Spider, ImagesPipeline, user agents by chance, feeds, delay, HTTPS",
        (COVERED,),
        folder="bookscraper",
    ),
    PublicProject(
        "siddhartha2202/scrapy_course",
        "1c11d69994ce62610ef40679b9ffee858ac460b9",
        "Spider, ROBOTSTXT_OBEY False",
        (
            SpiderRun(
                "quotes",
                (QUOTES,),
                pages.quotes(QUOTES, 3),
                "/page/2",
                "Text ",
                # Its settings.py says False, which the add-on respects.
                settings={"ROBOTSTXT_OBEY": "True"},
            ),
        ),
        folder="scrapy_course/quotes_spider",
    ),
)
