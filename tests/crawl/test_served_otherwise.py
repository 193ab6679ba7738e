"""What the log says of a robots.txt that is redirected, or is a page of HTML."""

from __future__ import annotations

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.site import Site


def lines_about(log: str, site: Site) -> list[str]:
    """Return the lines that begin with the robots.txt of *site*."""
    return [
        it
        for it in log.split("\n")
        if f"{site.url('/robots.txt')}" in it and "fresh for" in it
    ]


def test_redirected_robots_txt_names_its_target() -> None:
    """R2 (redirects): the line has both addresses."""
    with Site() as site:
        target = site.url("/elsewhere.txt")
        site.answer("/robots.txt", replies.redirect(target))
        site.answer("/elsewhere.txt", replies.text("User-agent: *\nDisallow: /x\n"))
        result = crawl([site.url("/page")])

    (line,) = lines_about(result.log, site)
    assert f"(redirected to {target})" in line


def test_page_in_place_of_robots_txt_is_more_than_a_detail() -> None:
    """A page of HTML has no rules: the log says so at INFO, and a file stays at DEBUG."""
    with Site() as page, Site() as file:
        page.answer("/robots.txt", replies.html("<!doctype html>\n<p>Not found"))
        file.robots("User-agent: *\nDisallow: /x\n")
        result = crawl([page.url("/page"), file.url("/page")])

    (of_page,), (of_file,) = (lines_about(result.log, it) for it in (page, file))
    assert "INFO" in of_page
    assert "begins as a page of HTML" in of_page
    assert "DEBUG" in of_file
    assert "HTML" not in of_file
