"""Crawls with a store: a later crawl uses and obeys the policies of an earlier crawl."""

from __future__ import annotations

import gc
import json
import shutil
import sqlite3
import subprocess
import sys
import weakref
import zlib
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrapy_robots1994 import Origin, Robots1994Middleware, open_store
from scrapy_robots1994.stores.base import Stored
from tests.support import replies
from tests.support.crawl import (
    DAY,
    ROOT,
    CrawlRequest,
    CrawlResult,
    Reactor,
    crawl,
    crawl_over_time,
)
from tests.support.crawler import idle_crawler
from tests.support.left_out import long_after
from tests.support.redis_server import RedisServer
from tests.support.replies import Reply
from tests.support.site import Site

BODY = b"User-agent: *\nDisallow: /closed\n"
FOLDER = "tests.support.folder_store.FolderStore"
STUTTERS = "tests.support.stores.Stutters"
RECORDED = Path(__file__).parent / "robots-0.1.db"
"""A store that version 0.1 wrote in a crawl of two origins. The robots.txt of
http://file.test is BODY, with the ETag "one". http://absent.test has no robots.txt.
"""


def stored_in(path: Path, **others: object) -> dict[str, Any]:
    """Return the settings of a crawl with a SQLite store at *path*."""
    return {"ROBOTS1994_STORE": f"sqlite:///{path}"} | others


def warnings_of(result: CrawlResult) -> list[str]:
    """Return the warnings about the store."""
    lines = result.log.split("\n")
    return [line for line in lines if "WARNING" in line and "_STORE" in line]


@pytest.fixture(params=long_after(2, ["sqlite", "redis", "own", "memory"]))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield the URL of an empty store of each kind."""
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
    """Both crawls obey robots.txt, and the second crawl does not fetch robots.txt again.
    A store in memory is an exception, because this store lasts for only one crawl.
    """
    site.robots(BODY)
    urls = [site.url("/1"), site.url("/2"), site.url("/closed")]
    for _ in range(2):
        result = crawl(urls, settings={"ROBOTS1994_STORE": store})
        assert result.fetched_urls == urls[:2]
        assert result.failed_urls == urls[2:]
        assert warnings_of(result) == []

    assert len(site.log("/robots.txt")) == (2 if store == "memory://" else 1)


@pytest.mark.parametrize(
    ("options", "fetches"),
    long_after(
        2,
        [
            ("max_origins=2", [1, 2, 1]),
            ("max_bytes=36000", [1, 2, 1]),
            # The policy that was stored last is never removed, even if this policy alone
            # exceeds the limit.
            ("max_bytes=1", [3, 2, 1]),
            ("max_origins=1", [3, 2, 1]),
            ("", [1, 1, 1]),
        ],
    ),
)
def test_memory_forgets_the_least_recently_used_policy_beyond_its_bound(
    options: str, fetches: list[int], site: Site
) -> None:
    """If the policies in memory exceed the limit, the least recently used policy is
    removed. When the removed policy is needed again, robots.txt is fetched and obeyed.
    """
    rules = b"".join(b"Disallow: /x/%d\n" % number for number in range(700))
    for host in "abc":
        site.robots(BODY + rules + host.encode(), at=f"{host}.test")
    result = crawl_over_time(
        *(
            [site.url(f"/closed/{number}", host=f"{host}.test")]
            for number, host in enumerate("aabacab")
        ),
        settings={"ROBOTS1994_STORE": f"memory://?{options}"},
    )
    seen = Counter(seen.host[0] for seen in site.log("/robots.txt"))

    assert result.fetched == []
    assert [seen[host] for host in "abc"] == fetches


@pytest.mark.parametrize(
    "recorded",
    [
        RECORDED,
        RECORDED.with_name("robots-0.2.db"),
        pytest.param(RECORDED.with_name("redis-0.2.json"), marks=pytest.mark.redis),
    ],
    ids=lambda it: it.name,
)
def test_store_of_an_earlier_version_is_read(
    recorded: Path, site: Site, tmp_path: Path
) -> None:
    """A crawl reads the store that an earlier version of the package wrote. The crawl
    obeys the stored rules, and fetches no robots.txt.
    """
    urls = [f"http://{page}" for page in ("file.test/open", "file.test/closed")]
    urls.append("http://absent.test/closed")
    requests = [CrawlRequest(url, meta={"proxy": site.url("")}) for url in urls]
    lives = {"ROBOTS1994_TTL": 10**9, "ROBOTS1994_STALE_TTL": 10**9}
    if recorded.suffix == ".db":
        path = tmp_path / "robots.db"
        shutil.copy(recorded, path)
        result = crawl(requests, settings=stored_in(path, **lives))
    else:
        with RedisServer() as server, server.client() as client:
            for key, value in json.loads(recorded.read_text("utf-8")).items():
                client.set(key, b64decode(value))
            settings = {"ROBOTS1994_STORE": server.url} | lives
            result = crawl(requests, settings=settings)

    assert site.log("/robots.txt") == []
    assert result.failed_urls == urls[1:2]
    assert result.stats["robots1994/store_hits"] == 2


def test_file_of_version_0_1_is_renewed_by_its_validators(
    site: Site, tmp_path: Path
) -> None:
    """The crawl sends the ETag and the date of the stored robots.txt, and a 304 answer
    renews the policy.
    """
    path = tmp_path / "robots.db"
    shutil.copy(RECORDED, path)
    site.answer("/robots.txt", replies.status(304))
    urls = ["http://file.test/open", "http://file.test/closed"]

    result = crawl_over_time(
        400 * DAY,
        [CrawlRequest(url, meta={"proxy": site.url("")}) for url in urls],
        settings=stored_in(path, ROBOTS1994_STALE_TTL=10**9),
    )

    (fetch,) = site.log("/robots.txt")
    assert fetch.headers["if-none-match"] == '"one"'
    assert fetch.headers["if-modified-since"] == "Mon, 01 Jan 2024 00:00:00 GMT"
    assert result.fetched_urls == urls[:1]
    assert result.failed_urls == urls[1:]


def test_damaged_entries_permit_nothing_and_are_replaced(
    site: Site, tmp_path: Path
) -> None:
    """Each damaged entry causes one fetch of robots.txt, and the fetched policy replaces
    the entry. A damaged entry does not count as a failure of the store.
    """
    site.robots(BODY)
    site.answer("/robots.txt", replies.status(404), at="absent.test")
    settings = stored_in(tmp_path / "robots.db")
    pages = [site.url("/1", host=f"{name}.test") for name in ("file", "absent")]
    crawl(pages, settings=settings)
    with closing(open_store(settings["ROBOTS1994_STORE"])) as store:
        packed = {each.origin.host: each.packed for each in store.entries()}
        good, bad = packed["file.test"], packed["absent.test"]
        entries = {
            "empty": b"",
            "an-older-version": b"\x01" + bad[1:],
            "of-another-origin": bad,
            "torn": good[:-1],
            "without-version": good[1:],
            "packed-json": good[:1] + zlib.compress(b'{"status": 404}\n'),
            "one-bit": bytes([*good[:40], good[40] ^ 4, *good[41:]]),
            "long": b"\x02" + b"x" * 5_000_000,
        }
        for name, entry in entries.items():
            origin = Origin.of(site.url("/", host=f"{name}.test"))
            assert origin is not None
            store.put(Stored(origin, entry, 9e9))

    urls = {
        path: [site.url(path, host=f"{name}.test") for name in entries]
        for path in ("/open", "/closed")
    }
    for fetches in (1, 0):
        site.forget()
        result = crawl([*urls["/open"], *urls["/closed"]], settings=settings)
        seen = Counter(seen.host for seen in site.log("/robots.txt"))

        assert result.fetched_urls == sorted(urls["/open"])
        assert result.failed_urls == sorted(urls["/closed"])
        assert warnings_of(result) == []
        assert set(seen.values()) <= {1}
        assert len(seen) == fetches * len(entries)


def test_failure_of_ours_does_not_end_the_last_good_policy(
    site: Site, tmp_path: Path
) -> None:
    """R5 (unreachable): if a crawl could not read the last good policy, and the fetch
    fails, the policy in the store is not replaced.
    """
    folder = tmp_path / "store"
    settings = {"ROBOTS1994_STORE": f"{FOLDER}://{folder}"}
    urls = [site.url("/open"), site.url("/closed")]
    site.answer("/robots.txt", Reply(200, BODY))
    crawl(urls, settings=settings)
    with closing(open_store(settings["ROBOTS1994_STORE"])) as store:
        (good,) = store.entries()
    # The delay of the answer is longer than the time for which the crawl does not call a
    # store after a failure.
    site.answer("/robots.txt", replace(replies.status(503), delay=2.5))
    unread = crawl(urls, settings={"ROBOTS1994_STORE": f"{STUTTERS}://{folder}"})
    result = crawl(urls, settings=settings)

    assert unread.fetched == []
    assert result.fetched_urls == urls[:1]
    with closing(open_store(settings["ROBOTS1994_STORE"])) as store:
        assert list(store.entries()) == [good]
    assert "robots1994/store_failures" in unread.stats


@pytest.mark.parametrize(
    ("answer", "fetched"),
    long_after(
        1,
        [
            (replies.status(404), 1),
            (replies.status(403), 0),
            # One ETag has typographic quotes, and two ETags have control characters.
            (Reply(200, BODY, (("ETag", "\xe2\x80\x9ca\xe2\x80\x9d"),)), 1),
            (Reply(200, BODY, (("ETag", '"a\x01"'),)), 1),
            (Reply(200, BODY, (("ETag", '"\x1b[31m"'),)), 1),
        ],
    ),
)
def test_stored_answer_decides_in_the_second_crawl(
    site: Site, answer: Reply, fetched: int, tmp_path: Path
) -> None:
    """The second crawl obeys the stored answer, and does not fetch robots.txt again. An
    answer with an unusual ETag is also stored.
    """
    site.answer("/robots.txt", answer)
    settings = stored_in(tmp_path / "robots.db")
    for _ in range(2):
        result = crawl([site.url("/open")], settings=settings)
        assert len(result.fetched) == fetched
    assert len(site.log("/robots.txt")) == 1
    assert result.stats["robots1994/store_hits"] == 1


def store_old(site: Site, response: Reply, settings: dict[str, Any]) -> None:
    """Store the policy of *response*, as a crawl a week ago did. The policy was fresh for
    a day.
    """
    site.answer("/robots.txt", response)
    crawl_over_time(-7 * DAY, [site.url("/old")], settings=settings)


@pytest.mark.parametrize("code", [304, 503, pytest.param(200, marks=pytest.mark.long)])
def test_sitemaps_of_a_stored_file_are_signalled_when_it_applies_again(
    site: Site, code: int, tmp_path: Path
) -> None:
    """The crawl sends the signal `robots_sitemaps` once when a stored robots.txt applies
    again. The file applies again after a 304, after the fetch of a new copy, or after an
    error.
    """
    named = f"Sitemap: {site.url('/map.xml')}\n"
    body = f"{named}User-agent: *\n\nDisallow: /closed\n".encode()
    settings = stored_in(tmp_path / "robots.db", ROBOTS1994_DIALECT="extended")
    store_old(site, Reply(200, body, (("ETag", '"a"'),)), settings)
    answer = Reply(200, body) if code == 200 else replies.status(code)
    site.answer("/robots.txt", answer)
    result = crawl(
        [site.url("/1"), site.url("/2")], settings=settings, hook="note_sitemaps"
    )

    assert len(result.fetched) == 2
    assert result.stats["test/times"] == 1
    stat = {304: "outcome/renewed", 503: "stale_if_error", 200: "outcome/parsed"}[code]
    assert result.stats[f"robots1994/{stat}"] == 1
    assert result.stats["robots1994/ignored"] == 1


def test_403_is_a_warning_in_each_crawl(site: Site, tmp_path: Path) -> None:
    """A crawl logs a warning about a 403, even if an earlier crawl stored the 403."""
    settings = stored_in(tmp_path / "robots.db")
    store_old(site, replies.status(403), settings)
    result = crawl([site.url("/1")], settings=settings)

    warned = result.lines("WARNING")
    assert len([line for line in warned if "HTTP 403, forbidden" in line]) == 1


@pytest.mark.parametrize(
    "flaw", long_after(2, ["torn", "locked", "rubbish", "read-only"])
)
def test_broken_database_is_logged_once_and_permits_nothing(
    site: Site, flaw: str, tmp_path: Path
) -> None:
    """If the database of the store is broken, the crawl obeys robots.txt as without a
    store, and logs one warning.
    """
    path = tmp_path / "robots.db"
    site.robots(BODY)
    urls = [site.url("/open/1"), site.url("/open/2"), site.url("/closed/1")]
    crawl(urls, settings=stored_in(path))
    site.forget()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        match flaw:
            case "locked":
                other.execute("BEGIN EXCLUSIVE")
            case "read-only":
                # Let a trigger reject the write. File permissions would not reject the
                # write, because root may write to any file.
                other.execute(
                    "CREATE TRIGGER no BEFORE INSERT ON policies BEGIN "
                    "SELECT RAISE(FAIL, 'attempt to write a readonly database'); END"
                )
            case _:
                whole = path.read_bytes()
                kept = 100 if flaw == "torn" else 0
                path.write_bytes(whole[:kept] + b"\xff" * (len(whole) - kept))
        store = f"sqlite:///{path}?timeout=0.2"
        result = crawl(
            [*urls, site.url("/open", host="b.test")],
            settings={"ROBOTS1994_STORE": store},
        )

    assert result.failed_urls == [site.url("/closed/1")]
    assert len(result.fetched) == 3
    assert result.stats["finish_reason"] == "finished"
    assert len(warnings_of(result)) == 1
    assert "The crawl continues" in warnings_of(result)[0]
    assert result.stats["robots1994/store_failures"] >= 1


@pytest.mark.parametrize(
    "kind",
    long_after(
        3,
        [
            *("Raises", "HangsInGet", "LeasesLater"),
            *("Asynchronous", "Exits", "ReturnsAnything", "HangsInFromUrl"),
            *("HangsInPut", "HangsInLease", "HangsInRelease", "HangsInClose"),
        ],
    ),
)
def test_store_that_violates_its_contract_does_not_stop_the_crawl(
    site: Site, kind: str, reactor: Reactor
) -> None:
    """If a store violates its contract, the crawl obeys robots.txt and logs one warning.
    The process of the crawl exits in time.
    """
    store = f"tests.support.stores.{kind}://me:hunter2@db.test?timeout=0.5"
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


def test_path_that_no_database_can_have_stops_the_crawl(
    site: Site, tmp_path: Path
) -> None:
    """If the folder of the database does not exist, or if the path is a folder, the crawl
    does not start. With a mistyped path, no policy would be stored, and each crawl would
    fetch each robots.txt again.
    """
    path = tmp_path / "nosuch" / "robots.db"
    missing = f"a folder that does not exist, {path.parent}: make it"
    folder = f"names a folder, {tmp_path}: add the name of a file"
    for wrong, message in ((path, missing), (tmp_path, folder)):
        result = crawl([site.url("/open")], settings=stored_in(wrong))

        assert site.log() == []
        assert message in result.error
        assert len(result.lines("CRITICAL", message)) == 1


def test_several_crawls_in_one_process_leak_nothing(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    """After two simultaneous crawls and a third crawl, no thread, task or open file
    remains.
    """
    site.robots(BODY)
    store = f"sqlite:///{tmp_path}/robots.db"
    url = site.url("/open")
    command = [sys.executable, "-m", "tests.support.several", reactor, store, url]
    ran = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    fetches = site.log("/robots.txt")
    pages = site.log("/open")

    left = json.loads(ran.stdout)
    assert left == {"threads": [], "files": [], "tasks": []}
    assert len(pages) == 3
    assert len(fetches) <= 2


def test_ended_crawl_does_not_stay_in_memory(tmp_path: Path) -> None:
    """The middleware of an ended crawl is freed. Otherwise, a service that runs many crawls
    in one process would need more and more memory.
    """
    settings = stored_in(tmp_path / "robots.db", ROBOTSTXT_OBEY=True)
    ended = weakref.ref(Robots1994Middleware(idle_crawler(settings)))
    gc.collect()

    assert ended() is None
