"""The public projects, at the commits they were tried at.

They are what public projects are, most of them exercises. Two sorts cannot be here as
they are: a spider that has nothing but `start_requests` asks for nothing on newer
Scrapy, with us or without, and the add-on leaves a project alone that sets
`ROBOTSTXT_OBEY = False`. The last one does, and has it set back on the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.proofs.public_projects import pages
from tests.proofs.public_projects.errand import Errand, Page, Stranger

if TYPE_CHECKING:
    from collections.abc import Sequence

QUOTES = "http://quotes.toscrape.com/"
BOOKS = "http://books.toscrape.com/"
NEWS = "http://news.yahoo.co.jp/"
WIRED = "http://wired.jp/"
DMOZ = "http://www.dmoz.org/Computers/Programming/Languages/Python/"
EXAMPLES = "http://matplotlib.org/examples/index.html"
COVERS = "https://books.toscrape.com/"


def _feed(spider: str, site: str, names: Sequence[str], closed: str) -> Errand:
    """Make the errand of a spider that reads the feeds of one site."""
    urls = tuple(f"{site}{name}.xml" for name in names)
    return Errand(spider, urls, pages.feeds(urls), closed, "title")


QUOTESBOT = tuple(
    Errand(spider, (QUOTES,), pages.quotes(QUOTES, 4), "/page/3/", "text")
    for spider in ("toscrape-css", "toscrape-xpath")
)

LISTED = Errand(
    "books",
    (BOOKS,),
    pages.shelf(BOOKS, ["one", "two"], "/catalogue/page-2.html")
    | pages.shelf(f"{BOOKS}catalogue/page-2.html", ["three", "four"]),
    "/catalogue/t",
    "title",
)

# Front page, categories, books: what a closed category alone leads to is never found.
CATEGORIES = tuple(f"/catalogue/category/books/{name}/" for name in ("art", "war"))
RULED = Errand(
    "books",
    (BOOKS,),
    {BOOKS: pages.html(pages.anchors(CATEGORIES), *CATEGORIES)}
    | pages.shelf(BOOKS + CATEGORIES[0][1:], ["colour", "form"])
    | pages.shelf(BOOKS + CATEGORIES[1][1:], ["form", "siege"]),
    CATEGORIES[1],
    "title",
)

# What is closed are images, so all books are found.
COVERED = Errand(
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
    # Its database, which it expects to be there.
    before="database_setup.py",
)

HEADLINES = tuple(
    Errand(spider, (NEWS,), pages.headlines(NEWS, (1, 2, 3)), "/pickup/2", "title")
    for spider in ("news", "news_crawl")
)

# It reads robots.txt itself, for the sitemaps: so there is one in either case.
POSTS = [f"{WIRED}2015/{day}/" for day in ("01/01", "01/02", "02/01")]
MAPPED = Errand(
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
    # One line closes three of them.
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

STRANGERS = (
    Stranger(
        "scrapy/quotesbot",
        "16ec3f4176db67ca9132f7e4431d7823e5e28974",
        "Spider: CSS, XPath",
        QUOTESBOT,
    ),
    Stranger(
        "scrapy/booksbot",
        "959a7dcdcf34c12f446a20e6e7bbecf97697f0fd",
        "Spider, HTTP cache on",
        (LISTED,),
    ),
    Stranger(
        "scrapy/dirbot",
        "8e995447361ad83f6693d2e07d17d90912268ace",
        "Spider, pipeline that drops items",
        (
            Errand(
                "dmoz",
                tuple(LISTS),
                {url: pages.directory(names) for url, names in LISTS.items()},
                "/Computers/Programming/Languages/Python/Resources/",
                "name",
            ),
        ),
    ),
    Stranger(
        "aayushmaanhooda/BooksCrawler",
        "07bca63350747625f1ae855d57d120965d044b63",
        "CrawlSpider, ADDONS of its own, delay",
        (RULED,),
        folder="bookCrawl",
    ),
    Stranger(
        "hirokishingu/scrapy-project",
        "11fa51c13a2ac307c3a3c6e7f766816100f50fad",
        "Spider, CrawlSpider, SitemapSpider, delay",
        (*HEADLINES, MAPPED),
    ),
    Stranger(
        "RobinRheem/spideynews",
        "70fdf28194bb0a0a4fc1537df6faa629ba20d267",
        "XMLFeedSpider, HTTPS",
        FEEDS,
        folder="spideynews",
    ),
    Stranger(
        "wsyshengyun/my_scrapy_test",
        "fadf0bec02fe4688ef6b4dc853076c349ad92a88",
        "Spider, FilesPipeline",
        (
            Errand(
                "matplot",
                (EXAMPLES,),
                pages.examples(EXAMPLES, ["bar", "line", "pie"]),
                "/files/line",
                "file_urls",
            ),
        ),
        folder="project/filescrapy",
    ),
    Stranger(
        "mohneeshrautela/scrapy-book-project",
        "c9ab89a0e759dfbddb1e9e50a851e486d1915cc1",
        "Spider, ImagesPipeline, user agents by chance, feeds, delay, HTTPS",
        (COVERED,),
        folder="bookscraper",
    ),
    Stranger(
        "siddhartha2202/scrapy_course",
        "1c11d69994ce62610ef40679b9ffee858ac460b9",
        "Spider, ROBOTSTXT_OBEY False",
        (
            Errand(
                "quotes",
                (QUOTES,),
                pages.quotes(QUOTES, 3),
                "/page/2",
                "Text ",
                # Its settings.py says False, and the add-on leaves that be.
                settings={"ROBOTSTXT_OBEY": "True"},
            ),
        ),
        folder="scrapy_course/quotes_spider",
    ),
)
