"""Crawls with stores: shared, stale and forgotten policies, and failing stores."""

from __future__ import annotations

import gc
import json
import sqlite3
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scrapy_robots1994 import Origin, Robots1994Middleware, open_store
from tests.support import replies
from tests.support.crawl import (
    DAY,
    ROOT,
    CrawlRequest,
    CrawlResult,
    Reactor,
    crawl,
    crawl_over_time,
    start_over_time,
)
from tests.support.crawler import idle_crawler
from tests.support.redis_server import RedisServer
from tests.support.replies import Reply
from tests.support.site import Site

BODY = b"User-agent: *\nDisallow: /closed\n"
FOLDER = "tests.support.folder_store.FolderStore"


def stored_in(path: Path, **others: object) -> dict[str, Any]:
    return {"ROBOTS1994_STORE": f"sqlite:///{path}/robots.db"} | others


def warnings_of(result: CrawlResult) -> list[str]:
    return [line for line in result.lines("WARNING") if "_STORE" in line]


def entry_of(url: str, settings: dict[str, Any]) -> bytes | None:
    with closing(open_store(settings["ROBOTS1994_STORE"])) as store:
        return store.get(str(Origin.of(url)))


@pytest.fixture(params=["sqlite", "redis", "own", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    match request.param:
        case "memory":
            yield "memory://"
        case "sqlite":
            yield f"sqlite:///{tmp_path}/robots.db"
        case "own":
            yield f"{FOLDER}://{tmp_path}/store"
        case _:
            with RedisServer() as server:
                yield server.url


def test_crawls_with_any_store_fetch_once_and_obey(store: str, site: Site) -> None:
    site.robots(BODY)
    urls = [site.url("/1"), site.url("/2"), site.url("/closed")]
    for number in range(2):
        result = crawl(urls, settings={"ROBOTS1994_STORE": store})
        assert result.fetched_urls == urls[:2]
        assert result.failed_urls == urls[2:]
        assert warnings_of(result) == []
        is_found = number == 1 and store != "memory://"
        assert result.stats.get("robots1994/store_hits", 0) == is_found

    assert len(site.log("/robots.txt")) == (2 if store == "memory://" else 1)


@pytest.mark.parametrize("stale_ttl", [30 * DAY, 0])
def test_stale_entry_is_fetched_again(
    store: str, stale_ttl: int, site: Site, reactor: Reactor
) -> None:
    site.robots(BODY)
    settings = {"ROBOTS1994_STORE": store, "ROBOTS1994_STALE_TTL": stale_ttl}
    steps = [site.url("/1")], 2 * DAY, [site.url("/2")], [site.url("/3")]
    result = crawl_over_time(*steps, settings=settings, reactor=reactor)

    assert len(result.fetched) == 3
    assert len(site.log("/robots.txt")) == 2


@pytest.mark.redis
def test_failed_fetch_leaves_no_lease(site: Site) -> None:
    """A lease that is left behind would delay other workers."""
    with RedisServer() as server, server.client() as client:
        crawl([site.refused_url("/")], settings={"ROBOTS1994_STORE": server.url})

        assert list(client.scan_iter()) == []


@pytest.mark.redis
def test_entry_is_kept_for_as_long_as_it_may_be_fresh(site: Site) -> None:
    site.robots(BODY)
    with RedisServer() as server, server.client() as known:
        client: Any = known
        settings = {"ROBOTS1994_STORE": server.url, "ROBOTS1994_STALE_TTL": 0}
        crawl([site.url("/")], settings=settings)
        (key,) = client.keys()

        assert client.ttl(key) > DAY / 2


def test_rules_of_further_robots_count_towards_the_bound_of_the_memory(
    site: Site,
) -> None:
    rules = (f"Disallow: /{number}\n" for number in range(1_000))
    site.robots("User-agent: *\n" + "".join(rules), at="a.test")
    url = site.url("/page", host="a.test")
    pages = [CrawlRequest(url, headers={"User-Agent": f"r{n}"}) for n in range(6)]
    store = {"ROBOTS1994_STORE": "memory://?max_bytes=600000"}
    steps = pages[:1], pages, [site.url("/page", host="b.test")], pages[:1]
    crawl_over_time(*steps, settings=store)

    assert [it.host[0] for it in site.log("/robots.txt")] == ["a", "b", "a"]


def test_unreachable_is_never_stored(site: Site, tmp_path: Path) -> None:
    """Ours R5: the last good answer stays in the store and decides."""
    settings = {"ROBOTS1994_STORE": f"tests.support.stores.Forgets://{tmp_path}"}
    urls = [site.url("/open"), site.url("/closed")]
    site.answer("/robots.txt", replies.status(503))
    assert crawl(urls, settings=settings).fetched == []
    assert entry_of(urls[0], settings) is None

    site.robots(BODY)
    result = crawl(urls, settings=settings)
    assert result.fetched_urls == urls[:1]
    assert warnings_of(result) == []
    good = entry_of(urls[0], settings)
    assert good is not None
    site.answer("/robots.txt", replies.status(503))
    result = crawl_over_time(2 * DAY, urls, settings=settings)
    assert result.fetched_urls == urls[:1]
    assert len(site.log("/robots.txt")) >= 3
    assert entry_of(urls[0], settings) == good


def test_older_policy_of_the_store_does_not_replace_a_newer_one(
    site: Site, tmp_path: Path
) -> None:
    """Ours R5: the newer policy in memory stays the last good one."""
    newer = replies.text("User-agent: *\nDisallow: /open\n")
    site.answer("/robots.txt", [replies.text(BODY), newer, replies.status(503)])
    settings = {"ROBOTS1994_STORE": f"tests.support.stores.KeepsFirst://{tmp_path}"}
    urls = [site.url("/open"), site.url("/closed")]

    crawl(urls, settings=settings)
    result = crawl_over_time(2 * DAY, urls, 2 * DAY, urls, settings=settings)

    assert len(site.log("/robots.txt")) == 3
    assert result.fetched_urls == urls[1:] * 2


def test_own_good_policy_outlives_the_shared_entry(site: Site, tmp_path: Path) -> None:
    """The stored entry vanishes, and another worker receives a 503."""
    settings = stored_in(tmp_path)
    urls = [site.url("/open"), site.url("/closed")]
    # By the time the crawl asks the store about another host, the first answer is stored.
    pause = site.url("/pause", host="other.test")
    site.robots(BODY)
    site.answer("/pause", Reply(gate="pause"))
    steps = urls[:1], [pause], 2 * DAY, [f"{it}/later" for it in urls]
    running = start_over_time(*steps, settings=settings)
    site.wait("/pause")
    with closing(sqlite3.connect(tmp_path / "robots.db")) as base, base:
        base.execute("DELETE FROM robots1994")
    site.answer("/robots.txt", replies.status(503))
    other = crawl(urls, settings=settings)
    site.open("pause")
    result = running.result()

    assert other.failed_urls == sorted(urls)
    assert result.failed_urls == [f"{urls[1]}/later"]
    assert len(result.fetched) == 3


def test_newer_of_two_stale_files_outlives_a_failed_fetch(
    site: Site, tmp_path: Path
) -> None:
    """Another worker has stored a file that is newer than ours."""
    settings = stored_in(tmp_path)
    urls = [site.url("/open"), site.url("/closed")]
    # By the time the crawl asks the store about another host, the first answer is stored.
    pause = site.url("/pause", host="other.test")
    site.robots("User-agent: *\nDisallow: /open\n")
    site.answer("/pause", Reply(gate="pause"))
    steps = urls[:1], [pause], 4 * DAY, urls
    running = start_over_time(*steps, settings=settings)
    site.wait("/pause")
    site.robots(BODY)
    crawl_over_time(2 * DAY, urls, settings=settings)
    site.answer("/robots.txt", replies.status(503))
    site.open("pause")
    result = running.result()

    assert result.failed_urls == [urls[1], urls[0]]
    assert len(result.fetched) == 2


@pytest.mark.parametrize(
    "kind",
    ["LeasesFail", "Raises", "ReadOnly", "ReturnsAnything", "FailsToClose"],
)
def test_failing_store_does_not_stop_the_crawl(
    site: Site, kind: str, reactor: Reactor, tmp_path: Path
) -> None:
    store = f"tests.support.stores.{kind}://me:hunter2@db.test{tmp_path}/store"
    site.robots(BODY)
    urls = [site.url("/open"), site.url("/closed")]
    result = crawl(urls, reactor=reactor, settings={"ROBOTS1994_STORE": store})

    assert result.fetched_urls == urls[:1]
    assert result.failed_urls == urls[1:]
    (warning,) = warnings_of(result)
    assert "hunter2" not in result.log.partition("Overridden settings")[2] + warning
    assert result.stats["robots1994/store_failures"] >= 1


def test_several_crawls_in_one_process_leak_nothing(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    site.robots(BODY)
    store = f"sqlite:///{tmp_path}/robots.db"
    url = site.url("/open")
    command = [sys.executable, "-m", "tests.support.several", reactor, store, url]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)

    assert json.loads(ran.stdout) == {
        "threads": [],
        "files": [],
        "tasks": [],
        "timers": [],
    }
    assert len(site.log("/open")) == 3
    assert len(site.log("/robots.txt")) <= 2


def test_ended_crawl_does_not_stay_in_memory(tmp_path: Path) -> None:
    """Services run many crawls in one process."""
    settings = stored_in(tmp_path, ROBOTSTXT_OBEY=True)
    ended = weakref.ref(Robots1994Middleware(idle_crawler(settings)))
    gc.collect()

    assert ended() is None
