"""The signal `request_refused`: request, verdict and spider of each refusal."""

from __future__ import annotations

from typing import Any

import pytest
from pydispatch import dispatcher  # type: ignore[import-untyped]

import scrapy_robots1994
from scrapy_robots1994.crawl import concurrency
from tests.support.crawl import Reactor, crawl, reactors
from tests.support.crawler import idle_crawler
from tests.support.site import Site


def record_refusals(crawler: Any) -> None:
    """Record the arguments of a handler; another handler raises."""

    def record(request: Any, verdict: Any, spider: Any) -> None:
        text = f"{request.url} {verdict.line} {verdict.rule} {spider.name}"
        crawler.stats.inc_value(f"test/{text}")

    def fail(**_: object) -> None:
        raise LookupError

    for handler in (fail, record):
        crawler.signals.connect(handler, scrapy_robots1994.request_refused, weak=False)


@pytest.mark.parametrize("reactor", reactors())
def test_each_refusal_is_signalled_once_even_if_a_handler_fails(
    reactor: Reactor,
) -> None:
    """This holds for a request that waited and for one whose policy was in memory."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a\n")
        pages = [site.url(path) for path in ("/a/1", "/a/2", "/b")]
        result = crawl(
            pages,
            hook="tests.crawl.test_refused_signal:record_refusals",
            reactor=reactor,
            settings={"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0},
        )

    sent = {key: value for key, value in result.stats.items() if "test/" in key}
    assert sent == {f"test/{page} 2 /a asking": 1 for page in pages[:2]}
    assert result.failed_urls == pages[:2]


def test_dry_run_sends_no_signal() -> None:
    """In a dry run, our rules refuse nothing."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a\n")
        result = crawl(
            [site.url("/a")],
            hook="tests.crawl.test_refused_signal:record_refusals",
            settings={"ROBOTS1994_DRY_RUN": True},
        )

    assert not [key for key in result.stats if key.startswith("test/")]
    assert result.failed_urls == [site.url("/a")]


def test_signal_is_sent_if_handlers_cannot_be_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The table of handlers is internal to PyDispatcher; the check only saves time."""
    crawler, refused = idle_crawler({}), scrapy_robots1994.request_refused
    assert not concurrency.handler_check(crawler)(refused)

    monkeypatch.delattr(dispatcher, "connections")
    assert concurrency.handler_check(crawler)(refused)


@pytest.mark.parametrize("is_for_any_sender", [False, True])
def test_handler_of_every_signal_is_detected(*, is_for_any_sender: bool) -> None:
    """A handler may be connected to all signals without naming ours."""
    crawler, refused = idle_crawler({}), scrapy_robots1994.request_refused
    sender = dispatcher.Any if is_for_any_sender else crawler

    def record(**_: object) -> None:
        """Do nothing."""

    dispatcher.connect(record, dispatcher.Any, sender=sender)
    try:
        assert concurrency.handler_check(crawler)(refused)
    finally:
        dispatcher.disconnect(record, dispatcher.Any, sender=sender)
    assert not concurrency.handler_check(crawler)(refused)
