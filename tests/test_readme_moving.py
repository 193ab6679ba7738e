"""What the README says of the built-in is what Scrapy's built-in does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.readme import README

if TYPE_CHECKING:
    from typing import Literal

    from tests.support.site import Site

TABLE = README.partition("### Moving from the built-in")[2].partition("\n**")[0]
FILE = b"User-agent: *\nDisallow: /private\n"
COUNT = "downloader/exception_type_count/"


def row(first: str) -> list[str]:
    """The further cells of the row of the table that begins with *first*."""
    (found,) = re.findall(rf"^\| {re.escape(first)} \| (.+) \|$", TABLE, re.MULTILINE)
    return [str(cell) for cell in found.split(" | ")]


@pytest.mark.parametrize(
    ("first", "code", "said"),
    [
        ("401, 403", 403, "read like any answer"),
        ("404 and other 4xx", 404, "read as a robots.txt"),
        ("5xx, 429", 503, "read like any answer"),
        ("5xx, 429", 429, "read like any answer"),
    ],
)
def test_the_built_in_reads_the_body_of_any_answer(
    first: str, code: int, said: str, site: Site
) -> None:
    """A file that closes a page closes it, whatever the status it came with."""
    site.answer("/robots.txt", replies.status(code, FILE))
    pages = [site.url("/open"), site.url("/private")]

    result = crawl(pages, middleware="builtin", settings={"RETRY_TIMES": 0})

    assert result.fetched_urls == [pages[0]]
    assert said in row(first)[0]


def test_the_built_in_opens_what_it_cannot_ask(site: Site) -> None:
    """No answer, and all pages are fetched; the robots.txt is not asked for again."""
    site.answer("/robots.txt", replies.reset())
    pages = [site.url("/open"), site.url("/private")]

    result = crawl(pages, middleware="builtin", settings={"RETRY_TIMES": 0})

    assert result.fetched_urls == pages
    assert site.targets().count("/robots.txt") == 1
    said, _ = row("timeout, no connection")
    assert said == "open for the rest of the crawl"


@pytest.mark.parametrize(("middleware", "place"), [("builtin", 0), ("ours", 1)])
def test_scrapy_counts_a_refusal_under_the_name_that_is_told(
    middleware: Literal["builtin", "ours"], place: int, site: Site
) -> None:
    """Scrapy's own stat of exceptions has the class of ours in its key."""
    site.answer("/robots.txt", replies.status(200, FILE))

    result = crawl([site.url("/private")], middleware=middleware)

    (key,) = [it for it in result.stats if it.startswith(COUNT)]
    assert row("Scrapy's count of exceptions")[place] == f"`{key}`"
