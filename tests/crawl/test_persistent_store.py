"""Crawls with a persistent store: a later crawl uses the policies of an earlier one."""

from __future__ import annotations

import gc
import json
import sqlite3
import subprocess
import sys
import weakref
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994 import Robots1994Middleware
from tests.support import replies
from tests.support.crawl import (
    DAY,
    ROOT,
    CrawlResult,
    Reactor,
    crawl,
    crawl_over_time,
    reactors,
)
from tests.support.crawler import idle_crawler
from tests.support.replies import Reply
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

BODY = b"User-agent: *\nDisallow: /closed\n"


ENDLESS_ROWS = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
    "SELECT 'a', x, x, x FROM c WHERE x < 0"
)


def stored_in(path: Path, **others: object) -> dict[str, Any]:
    """Return the settings of a crawl with a SQLite store at *path*."""
    return {"ROBOTS1994_STORE": f"sqlite:///{path}"} | others


def warnings_of(result: CrawlResult) -> list[str]:
    """Return the warnings about the store."""
    lines = result.log.split("\n")
    return [line for line in lines if "WARNING" in line and "_STORE" in line]


@pytest.mark.parametrize("reactor", reactors())
def test_second_crawl_fetches_no_robots_txt(reactor: Reactor, tmp_path: Path) -> None:
    """The second crawl loads the policy that the first fetched, and obeys it."""
    with Site() as site:
        site.robots(BODY)
        urls = [site.url("/open"), site.url("/closed/page")]
        settings = stored_in(tmp_path / "robots.db")
        first = crawl(urls, reactor=reactor, settings=settings)
        second = crawl(urls, reactor=reactor, settings=settings)
        fetches = site.log("/robots.txt")

    assert len(fetches) == 1
    for result in (first, second):
        assert result.fetched_urls == [urls[0]]
        assert result.failed_urls == [urls[1]]
        assert warnings_of(result) == []
        assert not [warning for warning in result.warnings if "never" in str(warning)]
    assert second.stats["robots1994/store_hits"] == 1
    assert "robotstxt/request_count" not in second.stats


@pytest.mark.parametrize(("code", "fetched"), [(404, 1), (403, 0)])
def test_stored_status_decides_in_the_second_crawl(
    code: int, fetched: int, tmp_path: Path
) -> None:
    """No robots.txt is fetched again for a stored status."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(code))
        settings = stored_in(tmp_path / "robots.db")
        for _ in range(2):
            result = crawl([site.url("/open")], settings=settings)
            assert len(result.fetched) == fetched
        assert len(site.log("/robots.txt")) == 1

    assert result.stats["robots1994/store_hits"] == 1


def store_old(site: Site, response: Reply, settings: dict[str, Any]) -> None:
    """Let a crawl of a week ago store the policy of *response*, for a day."""
    site.answer("/robots.txt", response)
    crawl_over_time(-7 * DAY, [site.url("/old")], settings=settings)


@pytest.mark.parametrize("code", [304, 200, 503])
def test_sitemaps_of_a_stored_file_are_signalled_when_it_applies_again(
    code: int, tmp_path: Path
) -> None:
    """A file that is confirmed, sent again or used on error is new to this crawl."""
    with Site() as site:
        named = f"Sitemap: {site.url('/map.xml')}\n"
        body = f"{named}User-agent: *\n\nDisallow: /closed\n".encode()
        settings = stored_in(tmp_path / "robots.db", ROBOTS1994_DIALECT="extended")
        store_old(site, Reply(200, body, (("ETag", '"a"'),)), settings)
        answer = Reply(200, body) if code == 200 else replies.status(code)
        site.answer("/robots.txt", answer)
        result = crawl(
            [site.url("/1"), site.url("/2")],
            settings=settings,
            hook="tests.crawl.feature_spiders:note_sitemaps",
        )

    assert len(result.fetched) == 2
    assert result.stats["test/times"] == 1
    assert result.stats["robots1994/weakens_policy"] == 1


def test_403_is_a_warning_in_each_crawl(
    tmp_path: Path,
) -> None:
    """A 403 that an earlier crawl stored is logged once more."""
    with Site() as site:
        settings = stored_in(tmp_path / "robots.db")
        store_old(site, replies.status(403), settings)
        result = crawl([site.url("/1")], settings=settings)

    warned = [line for line in result.log.split("\n") if "WARNING" in line]
    assert len([line for line in warned if "HTTP 403, forbidden" in line]) == 1


@pytest.mark.parametrize("etag", ["\u201ca\u201d", '"a\x01"', '"\x1b[31m"'])
def test_unusual_etag_costs_no_further_fetch(etag: str, tmp_path: Path) -> None:
    """Typographic quotes or control characters do not make the stored policy unreadable."""
    sent = (("ETag", etag.encode().decode("latin-1")),)
    with Site() as site:
        site.answer("/robots.txt", Reply(200, BODY, sent))
        settings = stored_in(tmp_path / "robots.db")
        for _ in range(2):
            result = crawl([site.url("/open")], settings=settings)
            assert result.fetched_urls == [site.url("/open")]
        assert len(site.log("/robots.txt")) == 1


def test_resumed_crawl_does_not_fetch_a_fresh_policy(tmp_path: Path) -> None:
    """A crawl with JOBDIR that is closed and resumed fetches robots.txt once."""
    settings = stored_in(
        tmp_path / "robots.db",
        JOBDIR=str(tmp_path / "job"),
        CONCURRENT_REQUESTS=1,
        CLOSESPIDER_PAGECOUNT=3,
    )
    with Site() as site:
        site.robots(BODY)
        urls = [site.url(f"/page/{number}") for number in range(20)]
        first = crawl(urls, settings=settings)
        second = crawl([site.url("/last")], settings=settings)
        fetches = site.log("/robots.txt")

    assert first.stats["finish_reason"] == "closespider_pagecount"
    assert second.stats["robots1994/store_hits"] == 1
    assert second.fetched
    assert len(fetches) == 1


def test_stale_stored_policy_is_revalidated_by_the_next_crawl(tmp_path: Path) -> None:
    """The policy is used at once, and its refresh gets a 304."""
    always_stale = {"ROBOTS1994_TTL": 0, "ROBOTS1994_MIN_TTL": 0}
    settings = stored_in(tmp_path / "robots.db", **always_stale)
    with Site() as site:
        named = Reply(200, BODY, (("ETag", '"one"'),))
        site.answer("/robots.txt", [named, replies.status(304)])
        crawl([site.url("/closed/1")], settings=settings)
        # The page is sent after the refresh has begun, so it cannot wait for it.
        site.answer("/open", replies.html("page", gate="refresh"))
        site.open_when("refresh", "/robots.txt", count=2)
        second = crawl([site.url("/closed/2"), site.url("/open")], settings=settings)
        fetches = site.log("/robots.txt")

    assert fetches[-1].headers["if-none-match"] == '"one"'
    assert second.fetched_urls == [site.url("/open")]
    assert second.stats["robots1994/outcome/renewed"] >= 1
    assert " s, used while it is renewed" in second.log


def test_last_good_policy_is_used_by_the_next_crawl(tmp_path: Path) -> None:
    """Ours R5: if the next crawl gets a 503, the stored policy still applies."""
    always_old = {
        "ROBOTS1994_TTL": 0,
        "ROBOTS1994_MIN_TTL": 0,
        "ROBOTS1994_RETRY_AFTER": 0,
    }
    with Site() as site:
        site.answer("/robots.txt", [Reply(200, BODY), replies.status(503)])
        settings = stored_in(tmp_path / "robots.db", **always_old)
        urls = [site.url("/open"), site.url("/closed")]
        for _ in range(2):
            crawl(urls, settings=settings)
        # The page is sent after the refresh has begun, so it cannot wait for it.
        site.answer("/open", replies.html("page", gate="refresh"))
        fetches = len(site.log("/robots.txt"))
        site.open_when("refresh", "/robots.txt", count=fetches + 1)
        result = crawl(urls, settings=settings)

    assert result.fetched_urls == [site.url("/open")]
    assert result.stats["robots1994/stale_if_error"] >= 1


@pytest.mark.parametrize(
    "flaw",
    ["rubbish", "torn", "locked", "read-only", "a folder", "a view", "an endless view"],
)
def test_broken_database_is_logged_once_and_permits_nothing(
    flaw: str, tmp_path: Path
) -> None:
    """The crawl continues as without a store, and logs one warning."""
    path = tmp_path / "robots.db"
    with Site() as site:
        site.robots(BODY)
        urls = [site.url("/open/1"), site.url("/open/2"), site.url("/closed/1")]
        crawl(urls, settings=stored_in(path))
        site.forget()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            damage(flaw, path, other)
            store = stored_in(path)["ROBOTS1994_STORE"] + "?timeout=0.2"
            result = crawl(
                [*urls, site.url("/open", host="b.test")],
                settings={"ROBOTS1994_STORE": store},
            )

    assert result.failed_urls == [site.url("/closed/1")]
    assert len(result.fetched) == 3
    assert result.stats["finish_reason"] == "finished"
    assert len(warnings_of(result)) == 1
    assert "The crawl goes on" in warnings_of(result)[0]
    assert result.stats["robots1994/store_failures"] >= 1


@pytest.mark.parametrize("reactor", reactors())
@pytest.mark.parametrize(
    "kind",
    [
        "Raises",
        "Asynchronous",
        "Exits",
        "HangsInFromUrl",
        "HangsInGet",
        "HangsInPut",
        "HangsInLease",
        "HangsInRelease",
        "HangsInClose",
        "ReturnsAnything",
        "LeasesLater",
    ],
)
def test_store_that_violates_its_contract_does_not_stop_the_crawl(
    kind: str, reactor: Reactor
) -> None:
    """The crawl obeys the rules, logs one warning, and the process exits in time."""
    store = f"tests.crawl.bad_stores.{kind}://me:hunter2@db.test?timeout=0.5"
    with Site() as site:
        site.robots(BODY)
        urls = [site.url("/open"), site.url("/closed")]
        settings = {"ROBOTS1994_STORE": store}
        result = crawl(urls, reactor=reactor, settings=settings, timeout=60)

    assert result.fetched_urls == [urls[0]]
    assert result.failed_urls == [urls[1]]
    assert result.stats["finish_reason"] == "finished"
    assert result.stats["robots1994/store_failures"] >= 1
    assert len(warnings_of(result)) == 1
    assert "Traceback" not in result.log
    assert "never retrieved" not in result.log
    assert "hunter2" not in "".join(warnings_of(result))


def damage(flaw: str, path: Path, other: sqlite3.Connection) -> None:
    """Damage the database at *path*."""
    if flaw == "locked":
        other.execute("BEGIN EXCLUSIVE")
        return
    other.close()
    match flaw:
        case "rubbish":
            path.write_bytes(b"this is no database at all" * 1000)
        case "torn":
            whole = path.read_bytes()
            path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
        case "read-only":
            # Root may write to any file, so a trigger rejects the write.
            with closing(sqlite3.connect(path)) as base:
                base.execute(
                    "CREATE TRIGGER no BEFORE INSERT ON policies BEGIN "
                    "SELECT RAISE(FAIL, 'attempt to write a readonly database'); END"
                )
        case "a view" | "an endless view":
            is_endless = flaw == "an endless view"
            view = "CREATE VIEW policies (origin, keep_until, used_at, packed) AS "
            view += ENDLESS_ROWS if is_endless else "SELECT 'a', 1, 1, x'00'"
            with closing(sqlite3.connect(path)) as base:
                base.executescript(f"DROP TABLE policies; {view}")
        case "a folder":
            path.unlink()
            path.mkdir()


@pytest.mark.parametrize("reactor", reactors())
def test_several_crawls_in_one_process_leak_nothing(
    reactor: Reactor, tmp_path: Path
) -> None:
    """After two simultaneous crawls and a third, no thread, task or open file is left."""
    with Site() as site:
        site.robots(BODY)
        store = f"sqlite:///{tmp_path}/robots.db"
        url = site.url("/open")
        command = [sys.executable, "-m", "tests.crawl.several", reactor, store, url]
        ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        fetches = site.log("/robots.txt")
        pages = site.log("/open")

    left = json.loads(ran.stdout)
    assert left == {"threads": [], "files": [], "tasks": []}
    assert len(pages) == 3
    assert len(fetches) <= 2


def test_ended_crawl_does_not_stay_in_memory(tmp_path: Path) -> None:
    """A service may start any number of crawls in one process."""
    settings = stored_in(tmp_path / "robots.db", ROBOTSTXT_OBEY=True)
    ended = weakref.ref(Robots1994Middleware(idle_crawler(settings)))
    gc.collect()

    assert ended() is None
