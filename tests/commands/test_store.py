"""`scrapy robots-store`: list, refresh and forget policies, and the exit code."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.commands.running import Ran, scrapy
from tests.support import replies
from tests.support.crawl import crawl
from tests.support.redis_server import RedisServer
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

BODY = "User-agent: *\nDisallow: /private\x1b[31m\n"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, str]]:
    """Fill a store by a crawl of three hosts: a file, none, and a failing one."""
    store = f"sqlite:///{tmp_path_factory.mktemp('store')}/robots.db"
    with Site() as site:
        site.robots(BODY, at="a.test")
        site.answer("/robots.txt", replies.status(503), at="down.test")
        hosts = ("a.test", "b.test", "down.test")
        urls = [site.url("/page", host=host) for host in hosts]
        crawl(urls, settings={"ROBOTS1994_STORE": store})
        yield site, store


def copied(store: str, folder: Path) -> str:
    """A store of its own with the same content, for a test that changes it."""
    path = Path(store.removeprefix("sqlite:///"))
    (folder / "copy.db").write_bytes(path.read_bytes())
    return f"sqlite:///{folder}/copy.db"


def rows(ran: Ran) -> list[dict[str, Any]]:
    """What a command printed as JSON lines."""
    assert ran.code == 0, ran
    return [json.loads(line) for line in ran.lines if line]


def hosts_of(store: str, *options: str) -> list[str]:
    """The hosts that `list` shows, without their domain."""
    ran = scrapy("robots-store", "list", "--json", "--store", store, *options)
    return [row["origin"].split("/")[2].split(".")[0] for row in rows(ran)]


def test_list_shows_every_origin_on_a_printable_line(filled: tuple[Site, str]) -> None:
    """Outcome, end and size; the same as JSON."""
    site, store = filled

    ran = scrapy("robots-store", "list", "--store", store)

    assert ran.code == 0
    assert [line.split()[0] for line in ran.lines] == [
        "parsed",
        "absent",
        "unreachable",
    ]
    assert site.url("", host="a.test") in ran.lines[0]
    assert hosts_of(store) == ["a", "b", "down"]


@pytest.mark.parametrize(
    ("options", "hosts"),
    [
        (["--host", "*.test"], ["a", "b", "down"]),
        (["--host", "A.TEST"], ["a"]),
        (["--outcome", "absent"], ["b"]),
        (["--fresh"], ["a", "b", "down"]),
        (["--fresh", "--outcome", "parsed"], ["a"]),
    ],
)
def test_filters_narrow_what_is_meant(
    filled: tuple[Site, str], options: list[str], hosts: list[str]
) -> None:
    """Each option that is given must fit."""
    assert hosts_of(filled[1], *options) == hosts


def test_show_prints_the_file_and_nothing_raw(filled: tuple[Site, str]) -> None:
    """An origin is named by any URL of it; control characters are escaped."""
    site, store = filled
    url = site.url("/some/page", host="a.test")

    ran = scrapy("robots-store", "show", url, "--store", store)

    assert ran.code == 0
    assert ran.lines[1:] == [
        "     1 User-agent: *",
        "     2 Disallow: /private\\x1b[31m",
    ]


def test_stats_count_by_outcome(filled: tuple[Site, str]) -> None:
    """Origins, freshness, outcomes and bytes."""
    (sums,) = rows(scrapy("robots-store", "stats", "--json", "--store", filled[1]))

    assert sums["origins"] == sums["fresh"] == 3
    assert sums["outcomes"] == {"absent": 1, "parsed": 1, "unreachable": 1}
    assert sums["bytes"] == len(BODY)
    shown = scrapy("robots-store", "stats", "--store", filled[1]).lines
    assert "outcomes: absent 1, parsed 1, unreachable 1" in shown


def test_a_store_that_is_not_there_is_named_and_not_made(tmp_path: Path) -> None:
    """A slip in the path leaves no file behind, and is not taken for an empty store."""
    store = f"sqlite:///{tmp_path}/slip.db"

    for action, code in (("list", 1), ("stats", 0), ("forget", 1)):
        ran = scrapy("robots-store", action, "--store", store, "--host", "a.*")

        assert ran.code == code
        assert ran.err.splitlines()[-1] == f"{store} has no policy that fits"
    assert "outcomes: none" in scrapy("robots-store", "stats", "--store", store).lines
    assert list(tmp_path.iterdir()) == []


def test_export_holds_the_bytes_of_each_file(filled: tuple[Site, str]) -> None:
    """One JSON object a line, complete."""
    first, *others = rows(scrapy("robots-store", "export", "--store", filled[1]))

    assert base64.b64decode(first["body"]).decode() == BODY
    assert [other["body"] for other in others] == [None, None]


def test_forget_forgets_what_was_named(
    filled: tuple[Site, str], tmp_path: Path
) -> None:
    """The others stay; a second time nothing fits, and that is 1."""
    store = copied(filled[1], tmp_path)
    ask = ("robots-store", "forget", "--host", "b.*", "--store", store)

    ran = scrapy(*ask)

    assert (ran.code, ran.lines[-1]) == (0, "1 forgotten")
    assert hosts_of(store) == ["a", "down"]
    assert scrapy(*ask).code == 1


def test_refresh_fetches_the_robots_txt_now(site: Site, tmp_path: Path) -> None:
    """A fresh policy is fetched again, with its validators; the answer is stored."""
    store = f"sqlite:///{tmp_path}/robots.db"
    named = (("ETag", '"one"'),)
    first = replies.Reply(200, BODY.encode(), named)
    site.answer("/robots.txt", [first, replies.text("User-agent: *\nDisallow: /b\n")])
    crawl([site.url("/page")], settings={"ROBOTS1994_STORE": store})

    ran = scrapy("robots-store", "refresh", "--all", "--store", store)

    assert ran.code == 0, ran
    assert ran.lines == [f"parsed      {site.url('/robots.txt')}"]
    assert site.log("/robots.txt")[-1].headers["if-none-match"] == '"one"'
    shown = scrapy("robots-store", "show", "--all", "--store", store)
    assert shown.lines[-1] == "     2 Disallow: /b"


def test_refresh_keeps_the_last_good_policy_of_who_fails(
    site: Site, tmp_path: Path
) -> None:
    """Ours R5: asked by hand, an origin that is down loses nothing."""
    store = f"sqlite:///{tmp_path}/robots.db"
    site.answer("/robots.txt", [replies.text(BODY), replies.status(503)])
    crawl([site.url("/page")], settings={"ROBOTS1994_STORE": store})

    ran = scrapy("robots-store", "refresh", "--all", "--store", store)

    failed = "could not fetch robots.txt (see the log); the last good policy stands"
    assert ran.lines == [f"parsed      {site.url('/robots.txt')} {failed}"]
    assert ran.code == 3
    # From now on, though the policy is two days old.
    assert "the next fetch is in 300 s at the earliest" in ran.err
    (row,) = rows(scrapy("robots-store", "list", "--json", "--store", store))
    assert (row["outcome"], row["stale_if_error"]) == ("parsed", True)


def test_refresh_into_a_store_that_fails_is_no_success(
    site: Site, tmp_path: Path
) -> None:
    """The policy is fetched and printed; the log says why it is not stored."""
    site.robots(BODY)
    store = f"sqlite:///{tmp_path}/nosuch/robots.db"

    ran = scrapy("robots-store", "refresh", site.url("/"), "--store", store)

    assert ran.code == 3
    assert ran.lines == [f"parsed      {site.url('/robots.txt')}"]
    assert f"ROBOTS1994_STORE {store} failed" in ran.err


def test_refresh_for_a_spider_that_is_not_there_ages_nothing(
    site: Site, tmp_path: Path
) -> None:
    """It is wrong use, found before the store is touched."""
    store = f"sqlite:///{tmp_path}/robots.db"
    site.robots(BODY)
    crawl([site.url("/page")], settings={"ROBOTS1994_STORE": store})
    named = ("--spider", "nosuch", "--store", store)

    ran = scrapy("robots-store", "refresh", "--all", *named)

    assert ran.code == 2
    (row,) = rows(scrapy("robots-store", "list", "--json", "--store", store))
    assert row["is_fresh"]


@pytest.mark.redis
def test_a_store_in_redis_is_worked_with_alike() -> None:
    """List and forget on a real server."""
    with RedisServer() as server, Site() as site:
        crawl([site.url("/page")], settings={"ROBOTS1994_STORE": server.url})

        assert hosts_of(server.url) == ["127"]
        assert (
            scrapy("robots-store", "forget", "--all", "--store", server.url).code == 0
        )
        assert scrapy("robots-store", "list", "--store", server.url).code == 1


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["eat"],
        ["forget", "--store", "sqlite:///x.db"],
        ["list"],
        ["show", "example.com", "--store", "sqlite:///x.db"],
        ["list", "--store", "nosuch:///x.db"],
        ["forget", "--all", "--store", "", "-s", "ROBOTS1994_STORE=sqlite:///x.db"],
    ],
)
def test_wrong_use_is_2_and_makes_no_file(args: list[str], tmp_path: Path) -> None:
    """Nothing is opened before the question is understood."""
    ran = scrapy("robots-store", *args, folder=tmp_path)

    assert ran.code == 2, ran
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_fails_is_3_and_one_line(tmp_path: Path) -> None:
    """No traceback."""
    (tmp_path / "a.db").write_bytes(b"no database" * 999)

    ran = scrapy("robots-store", "list", "--store", "sqlite:///a.db", folder=tmp_path)

    assert (ran.code, len(ran.lines)) == (3, 1)
    assert ran.out.startswith("the store failed: ")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("args", [("export",), ("list", "--json")])
def test_a_store_that_fails_writes_no_json(
    tmp_path: Path, args: tuple[str, ...]
) -> None:
    """Standard output is a file of JSON lines then: the reason is not one of them."""
    (tmp_path / "a.db").write_bytes(b"no database" * 999)

    ran = scrapy("robots-store", *args, "--store", "sqlite:///a.db", folder=tmp_path)

    assert (ran.code, ran.out) == (3, "")
    assert "the store failed: " in ran.err
