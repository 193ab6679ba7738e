"""Cases that are rare in crawls: full lists, unusual URLs, public names."""

from __future__ import annotations

from importlib import import_module
from time import time

import pytest
from scrapy import Request

import scrapy_robots1994
from scrapy_robots1994.crawl import refusals
from scrapy_robots1994.crawl.judges import RulesCache
from scrapy_robots1994.crawl.threads import DeferredWaiter
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.robotstxt import RobotsTxt
from scrapy_robots1994.stores import MemoryStore
from tests.support.crawler import idle_crawler


def test_dir_lists_the_public_names_before_they_are_loaded() -> None:
    """A shell can complete them."""
    assert dir(scrapy_robots1994) == sorted(scrapy_robots1994.__all__)


@pytest.mark.parametrize("name", scrapy_robots1994.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    """Each is loaded from its module on first use."""
    # Not the value that an earlier use has stored in the module.
    assert scrapy_robots1994.__getattr__(name) is not None


@pytest.mark.parametrize("name", ["check", "lint", "compare", "store"])
def test_command_has_a_one_line_description(name: str) -> None:
    """It is short enough for the list that `scrapy` prints."""
    module = import_module(f"scrapy_robots1994.commands.{name}")
    command = getattr(module, f"Robots{name.title()}")()

    assert len(command.short_desc()) < 72
    assert command.syntax().isprintable()


@pytest.mark.parametrize("url", ["data:,x", "about:blank", "http:", "https://a"])
def test_url_without_a_slash_after_its_host_is_not_cached(url: str) -> None:
    """The full check handles it."""
    assert RulesCache(MemoryStore(1, time)).get(url) is None


def test_refusals_of_origins_over_the_limit_are_summed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With a limit of one origin, the refusals of all others are summed."""
    monkeypatch.setattr(refusals, "MAX_ORIGINS", 1)
    crawler = idle_crawler({})
    sums = refusals.Refusals(crawler, closes=False)
    verdict = RobotsTxt.parse("User-agent: *\nDisallow: /").verdict("/", "rex")
    for host in ("a", "b", "b", "c"):
        url = f"http://{host}.test/"
        origin = Origin.of(url)
        assert origin is not None
        sums.refuse(Request(url), verdict, origin)

    with caplog.at_level("INFO"):
        sums._closed()

    assert sums._others.refused == 3
    assert "http://a.test" in caplog.text


def test_waiter_is_released_once() -> None:
    """A second release has no effect."""
    waiter: DeferredWaiter[int] = DeferredWaiter()
    waiter.release(1)
    waiter.release(2)

    assert waiter._result.result == 1
