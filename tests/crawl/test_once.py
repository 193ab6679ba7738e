"""A request passes through each component once, however long it waits for robots.txt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawl import COMPONENTS, CrawlRequest, crawl, start_crawl
from tests.support.projects import PAGES
from tests.support.redis_server import RedisServer
from tests.support.replies import Reply

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl import Reactor
    from tests.support.site import Site

HERE = "tests.support.projects"
BEFORE, BEHIND = 50, 900
PROJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "constructor": ("PageSpider", {}),
    "attributes": (
        "ScriptSpider",
        {"DOWNLOADER_MIDDLEWARES": {f"{HERE}.RunScripts": BEHIND}},
    ),
    "scheduler": ("RequestingSpider", {"SCHEDULER": f"{HERE}.SeenScheduler"}),
    "handler": ("RequestingSpider", {"EXTENSIONS": {f"{HERE}.ScheduledBudget": 1}}),
    "budget": (
        "RequestingSpider",
        {"DOWNLOADER_MIDDLEWARES": {f"{HERE}.Budget": BEFORE}},
    ),
    "leases": (
        "RequestingSpider",
        {"DOWNLOADER_MIDDLEWARES": {f"{HERE}.Leases": BEFORE}},
    ),
    # If a later middleware replaces a request, ours never sees a response to the original.
    "rewritten": (
        "RequestingSpider",
        {"DOWNLOADER_MIDDLEWARES": {f"{HERE}.Rewriting": BEHIND}},
    ),
    "sent again": (
        "AgainSpider",
        {"DOWNLOADER_MIDDLEWARES": {f"{HERE}.Failing": BEHIND}},
    ),
}
TWICE = {"sent again": 2}


@pytest.mark.parametrize(
    ("hosts", "project"), [(h, p) for h in (1, 10) for p in PROJECTS]
)
def test_request_passes_each_component_once(
    site: Site, reactor: Reactor, hosts: int, project: str
) -> None:
    spider, settings = PROJECTS[project]
    site.robots("User-agent: *\nDisallow: /private\n", gate="robots")
    urls = [
        site.url(f"/p{number}", host=f"h{number % hosts}.test")
        for number in range(PAGES)
    ]
    middlewares = settings.get("DOWNLOADER_MIDDLEWARES", {})
    gauge = {"SPIDER_MIDDLEWARES": {f"{COMPONENTS}.Gauge": 1}}
    counted = {
        "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.CountPasses": BEFORE} | middlewares
    }
    running = start_crawl(
        urls,
        reactor=reactor,
        spider=f"{HERE}:{spider}",
        settings=settings | gauge | counted,
        hook=f"{HERE}:count_scheduled",
    )
    running.wait_for(f"all {PAGES} are yielded")
    site.open("robots")
    result = running.result()

    assert (len(result.fetched), result.failed) == (PAGES, [])
    passes, scheduled = (result.stats[f"test/{it}"] for it in ("passes", "scheduled"))
    assert set(urls) <= set(passes)
    assert set(passes.values()) == set(scheduled.values()) == {TWICE.get(project, 1)}
    assert result.stats["finish_reason"] == "finished"
    assert result.stats["test/most_pages"] <= 16


def at(order: int, name: str) -> dict[str, Any]:
    return {"DOWNLOADER_MIDDLEWARES": {f"{HERE}.{name}": order}}


@pytest.mark.parametrize(
    "settings",
    [
        at(BEFORE, "Answering"),
        at(BEFORE, "Raising"),
        {"ROBOTS1994_USAGE": "requests", "ROBOTS1994_PURPOSES": ["train-ai"]},
        at(BEHIND, "Answering"),
        at(BEHIND, "Raising"),
    ],
)
def test_page_that_is_answered_or_fails_carries_no_key_of_ours(
    site: Site, settings: dict[str, Any]
) -> None:
    site.robots("User-agent: *\nContent-Usage: train-ai=n\nDisallow: /private\n")
    result = crawl([site.url("/p1")], spider=f"{HERE}:KeySpider", settings=settings)

    assert result.items == [{"own": [], "dont_filter": True}]


@pytest.mark.parametrize("name", ["Answering", "Raising"])
def test_resumed_page_that_is_answered_or_fails_carries_no_key_of_ours(
    site: Site, tmp_path: Path, name: str
) -> None:
    job = {"JOBDIR": str(tmp_path)}
    page = CrawlRequest(site.url("/p1"), dont_filter=False)
    site.robots("", gate="never")
    running = start_crawl([page], settings=job, hook="close_soon")
    site.wait("/robots.txt")
    running.interrupt()
    running.result()
    result = crawl(spider=f"{HERE}:KeySpider", settings=job | at(BEFORE, name))

    assert result.items == [{"own": [], "dont_filter": False}]


@pytest.mark.redis
def test_each_page_is_requested_once_by_two_workers_of_one_queue(site: Site) -> None:
    origins = 40
    file = Reply(200, b"User-agent: *\nDisallow: /x\n", delay=0.5)
    site.answer("/robots.txt", file)
    pages = [
        CrawlRequest(
            site.url(f"/p{page}", host=f"h{number}.test"),
            priority=page % 2,
            dont_filter=False,
        )
        for page in range(3)
        for number in range(origins)
    ]
    settings = {
        "CONCURRENT_REQUESTS": 4,
        "ROBOTS1994_MAX_WAITING": origins,
        "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.CountPasses": 10},
    }
    with RedisServer() as redis:
        workers = [
            start_crawl(pages, settings=settings | redis.queue, may_warn=True)
            for _ in range(2)
        ]
        results = [worker.result() for worker in workers]

    seen = [(it.host, it.target) for it in site.log() if it.target != "/robots.txt"]
    assert len(seen) == len(set(seen)) == 3 * origins
    passes = (result.stats["test/passes"].values() for result in results)
    assert {number for it in passes for number in it} == {1}
