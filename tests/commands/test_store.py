"""Tests of `scrapy robots-store`: every action and its exit code."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import replies
from tests.support.commands import CommandResult, scrapy
from tests.support.crawl import DAY, crawl, crawl_over_time
from tests.support.site import Site

BODY = "User-agent: *\nDisallow: /private\x1b[31m\n"


def test_help_says_what_the_common_options_do_here() -> None:
    """The help of `robots-store` says what the common options do for stored policies.

    The policies in a store are not parsed, so `--dialect` has no effect.
    """
    text = " ".join(scrapy("robots-store", "--help").out.split())

    assert "--dialect has no effect" in text
    assert "With --spider NAME, the settings of that spider name the store" in text


def store(action: str, url: str, *args: str, **options: Any) -> CommandResult:
    """Run `robots-store ACTION` on the store at *url*."""
    return scrapy("robots-store", action, "--store", url, *args, **options)


def rows(result: CommandResult) -> list[dict[str, Any]]:
    """Return the decoded JSON lines that a command printed."""
    assert result.code == 0, result
    return [json.loads(line) for line in result.lines if line]


def hosts_of(url: str, *options: str) -> list[str]:
    """Return the first label of each host that `list` shows."""
    listed = rows(store("list", url, "--json", *options))
    return [row["origin"].split("/")[2].split(".")[0] for row in listed]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, str]]:
    """Fill a store with a crawl of three hosts, and yield the site and the store's URL.

    The outcomes of the hosts are parsed, absent and unreachable.
    """
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/robots.db"
    with Site() as site:
        site.robots(BODY, at="a.test")
        site.answer("/robots.txt", replies.status(503), at="down.test")
        pages = [site.url("/page", host=f"{it}.test") for it in ("a", "b", "down")]
        crawl(pages, settings={"ROBOTS1994_STORE": url})
        yield site, url


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of a store that does not exist yet."""
    return f"sqlite:///{tmp_path}/robots.db"


def test_each_action_shows_the_policies_of_a_crawl(filled: tuple[Site, str]) -> None:
    """`list`, `stats`, `show` and `export` print the policies as text or JSON.

    The text that the actions print does not contain control characters.
    """
    site, url = filled

    listed = store("list", url)
    outcomes = ["parsed", "absent", "unreachable"]
    assert (listed.code, [it.split()[0] for it in listed.lines]) == (0, outcomes)
    assert site.url("", host="a.test") in listed.lines[0]

    (sums,) = rows(store("stats", url, "--json"))
    assert sums["origins"] == sums["fresh"] == 3
    assert sums["outcomes"] == {"absent": 1, "parsed": 1, "unreachable": 1}
    assert sums["bytes"] == len(BODY)
    counted = store("stats", url).lines
    assert "outcomes: absent 1, parsed 1, unreachable 1" in counted
    assert "fresh policies: 3" in counted

    # Any URL of an origin selects the policy of this origin.
    shown = store("show", url, site.url("/some/page", host="a.test"))
    text = ["     1 User-agent: *", "     2 Disallow: /private\\x1b[31m"]
    assert (shown.code, shown.lines[1:]) == (0, text)

    # In the output of `export`, the body is null for an origin without a robots.txt file.
    first, *others = rows(store("export", url))
    assert base64.b64decode(first["body"]).decode() == BODY
    assert [other["body"] for other in others] == [None, None]


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
def test_list_shows_origins_that_match_all_filters(
    filled: tuple[Site, str], options: list[str], hosts: list[str]
) -> None:
    """`list` shows only origins that match all filters.

    In a filter, a host name is a pattern, and the case of the host name is ignored.
    """
    assert hosts_of(filled[1], *options) == hosts


def test_policy_that_is_over_is_not_listed(site: Site, url: str) -> None:
    """A policy that no crawl would use is not listed."""
    settings = {"ROBOTS1994_STORE": url}
    crawl_over_time(-60 * DAY, [site.url("/page")], settings=settings)

    result = store("list", url)

    assert (result.code, result.out) == (1, "")


@pytest.mark.parametrize("action", ["list", "stats", "forget"])
@pytest.mark.parametrize(
    "scheme", ["sqlite:///", "tests.support.folder_store.FolderStore://"]
)
def test_missing_store_is_reported_and_not_created(
    action: str, scheme: str, tmp_path: Path
) -> None:
    """The command reports a store that does not exist, and creates no file.

    In this test, the store is a database or a folder.
    """
    url = f"{scheme}{tmp_path}/robots.db"
    result = store(action, url, "--host", "a.*")

    assert result.code == 3
    assert ": there is no such file or folder;" in result.err.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("action", ["list", "refresh"])
def test_missing_folder_of_a_database_is_exit_code_3(
    action: str, site: Site, tmp_path: Path
) -> None:
    """If the folder of a database does not exist, the exit code is 3, and nothing is fetched."""
    url = f"sqlite:///{tmp_path}/nosuch/robots.db"

    result = store(action, url, site.url("/"))

    assert result.code == 3
    said = f"ROBOTS1994_STORE names a file in a folder that does not exist, {tmp_path}"
    assert f"{said}/nosuch: make it, or choose another path" in result.out + result.err
    assert site.log() == []


def test_forget_removes_only_matching_policies(
    filled: tuple[Site, str], url: str, tmp_path: Path
) -> None:
    """`forget` removes only matching policies. If no policy matches, the exit code is 1."""
    shutil.copy(filled[1].removeprefix("sqlite:///"), tmp_path / "robots.db")

    result = store("forget", url, "--host", "b.*")

    assert (result.code, result.lines[-1]) == (0, "1 forgotten")
    assert hosts_of(url) == ["a", "down"]
    assert store("forget", url, "--host", "b.*").code == 1


def test_refresh_fetches_the_robots_txt_now(site: Site, url: str) -> None:
    """`refresh` fetches even a fresh policy again, with its validators, and stores the result."""
    first = replies.Reply(200, BODY.encode(), (("ETag", '"one"'),))
    site.answer("/robots.txt", [first, replies.text("User-agent: *\nDisallow: /b\n")])
    crawl([site.url("/page")], settings={"ROBOTS1994_STORE": url})

    result = store("refresh", url, "--all")

    assert result.code == 0, result
    assert result.lines == [f"parsed      {site.url('/robots.txt')}"]
    assert site.log("/robots.txt")[-1].headers["if-none-match"] == '"one"'
    assert store("show", url, "--all").lines[-1] == "     2 Disallow: /b"


def test_failed_refresh_keeps_the_last_good_policy(site: Site, url: str) -> None:
    """Ours R5 (unreachable): after a failed `refresh`, the last good policy remains in use."""
    site.answer("/robots.txt", [replies.text(BODY), replies.status(503)])
    crawl([site.url("/page")], settings={"ROBOTS1994_STORE": url})

    result = store("refresh", url, "--all")

    failed = (
        "could not fetch robots.txt (see the log); the last good policy remains in use"
    )
    assert result.lines == [f"parsed      {site.url('/robots.txt')} {failed}"]
    assert result.code == 3
    # The 300 seconds until the next fetch begin with the failed refresh.
    assert "the next fetch is in 300 s at the earliest" in result.err
    (row,) = rows(store("list", url, "--json"))
    assert (row["outcome"], row["stale_if_error"]) == ("parsed", True)
    # The next refresh fetches robots.txt at once.
    site.robots(BODY)
    assert store("refresh", url, "--all").code == 0


def test_refresh_into_a_failing_store_sets_exit_code_3(site: Site) -> None:
    """If `refresh` cannot store a policy, the exit code is 3, and the log says why.

    The policy is fetched and printed, although it cannot be stored.
    """
    site.robots(BODY)
    url = "tests.support.stores.KeepsNothing://x"

    result = store("refresh", url, site.url("/"))

    assert result.code == 3
    assert result.lines == [f"parsed      {site.url('/robots.txt')}"]
    assert f"ROBOTS1994_STORE {url} failed" in result.err


def test_refresh_with_an_unknown_spider_expires_no_policy(site: Site, url: str) -> None:
    """With an unknown spider, `refresh` ends with exit code 2, and does not change the store."""
    crawl([site.url("/page")], settings={"ROBOTS1994_STORE": url})

    result = store("refresh", url, "--all", "--spider", "nosuch")

    assert result.code == 2
    (row,) = rows(store("list", url, "--json"))
    assert row["is_fresh"]


@pytest.mark.parametrize("args", [["export"], ["list", "--json"]])
def test_failing_store_is_reported_on_stderr_of_a_json_command(
    args: list[str], url: str, tmp_path: Path
) -> None:
    """If the store fails, a command with JSON output reports the failure on standard error."""
    (tmp_path / "robots.db").write_bytes(b"no database" * 999)

    result = store(args[0], url, *args[1:])

    assert (result.code, result.out) == (3, "")
    assert "the store failed: " in result.err
