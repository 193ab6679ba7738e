"""Our code causes no warnings, neither its own nor those of Scrapy or Twisted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.running.project import run
from tests.support import replies
from tests.support.crawl import Middleware, Reactor, crawl, reactors

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site


def warned(site: Site, middleware: Middleware, **options: Any) -> set[tuple[str, str]]:
    """Return the warnings of a crawl with various robots.txt responses."""
    hosts = ("open.test", "closed.test", "gone.test", "moved.test", "reset.test")
    urls = [site.url(path, host=host) for host in hosts for path in ("/a", "/private")]
    result = crawl(urls, middleware=middleware, may_warn=True, **options)
    assert result.error == ""
    return {(category, message) for category, message, _ in result.warnings}


@pytest.mark.parametrize("reactor", reactors())
def test_add_on_causes_no_further_warnings(
    reactor: Reactor, site: Site, tmp_path: Path
) -> None:
    """This holds with page directives, comparison, crawl delay and a persistent store."""
    site.robots("User-agent: *\nDisallow: /private\nCrawl-delay: 0\n")
    site.robots("User-agent: *\n\nDisallow: /\n", at="open.test")
    site.answer("/robots.txt", replies.status(404), at="gone.test")
    site.answer("/robots.txt", replies.redirect("/elsewhere"), at="moved.test")
    site.answer("/robots.txt", replies.reset(), at="reset.test")
    settings = {
        "ROBOTS1994_PAGES": True,
        "ROBOTS1994_COMPARE": True,
        "ROBOTS1994_DIALECT": "extended",
        "ROBOTS1994_CRAWL_DELAY": True,
        "ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db",
    }

    off = warned(site, "off", reactor=reactor)
    ours = warned(site, "ours", reactor=reactor, settings=settings)

    assert ours - off == set()


def test_command_that_warns_fails_its_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warning on stderr is an error of `run`."""
    monkeypatch.setattr("tests.support.warned.IS_NEWEST", True)
    with pytest.raises(AssertionError, match=r"UserWarning.*heard"):
        run("-c", "import warnings; warnings.warn('heard')", folder=tmp_path)
