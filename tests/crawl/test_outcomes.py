"""Each answer to GET /robots.txt means what `outcomes` says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from scrapy.settings import default_settings

from tests.crawl import outcomes
from tests.crawl.outcomes import FETCHED, R5, RULES, Row
from tests.support import replies
from tests.support.certificates import Flaw
from tests.support.crawl import (
    DAY,
    CrawlRequest,
    CrawlResult,
    Reactor,
    crawl,
    crawl_over_time,
    reactors,
)
from tests.support.site import Site

SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 200,
    "DOWNLOAD_TIMEOUT": 60,
    "RETRY_ENABLED": True,
    "RETRY_TIMES": 50,
    "ROBOTS1994_TIMEOUT": 60,
}
TIMES = (0, 240, 360, 540, 620, 940, 1_060, 3_540, 3_660, DAY - 60, DAY + 60)
"""The times, in seconds, at which a page of each origin is requested. No policy expires exactly
at any of these times.
"""

NOT_OBEYED = {"dont_obey_robotstxt": True}
MARK = {**NOT_OBEYED, "dont_retry": True, "download_timeout": 10}
"""The meta of the last request in each step. The site answers this request only after the last
robots.txt request of the step.
"""

# Before Scrapy 2.16, a context factory enables the verification of certificates.
VERIFYING = (
    {"DOWNLOAD_VERIFY_CERTIFICATES": True}
    if hasattr(default_settings, "DOWNLOAD_VERIFY_CERTIFICATES")
    else {
        "DOWNLOADER_CLIENTCONTEXTFACTORY": "scrapy.core.downloader.contextfactory."
        "BrowserLikeContextFactory"
    }
)


class Table:
    def __init__(self, site: Site, rows: Iterable[Row]) -> None:
        self.site = site
        self.rows = tuple(rows)
        for row in self.rows:
            if row.answer is not None:
                site.answer("/robots.txt", row.answer, at=f"{row.slug}.test")

    def request(self, row: Row, path: str) -> CrawlRequest:
        meta: dict[str, Any] = {"dont_retry": True}
        base = row.at or self.site.url("", host=f"{row.slug}.test")
        if row.by_proxy:
            base = f"http://{row.slug}.test"
            meta["proxy"] = self.site.url("").rstrip("/")
        return CrawlRequest(base + path, meta)

    def requests(self, paths: Sequence[str]) -> list[CrawlRequest]:
        return [self.request(row, path) for row in self.rows for path in paths]

    def assert_ended(self, result: CrawlResult, path: str, wanted: str) -> None:
        """Check how the requests for *path* ended. *wanted* names a field of `Meaning`."""
        ended = {url: FETCHED for url, _ in result.fetched}
        for failed, reason in zip(result.failed, result.reasons, strict=True):
            ended[failed.url] = "twice" if failed.url in ended else reason or "failed"
        assert {
            row.slug: ended.get(self.request(row, path).url, "lost")
            for row in self.rows
        } == {row.slug: getattr(row.means, wanted) for row in self.rows}

    def seen(self) -> Counter[str]:
        """Count the requests of each row, except those for pages."""
        pages = ("/open", "/closed")
        return Counter(
            (urlsplit(f"//{it.host}").hostname or "").removesuffix(".test")
            for it in self.site.log()
            if not it.target.startswith(pages)
        )


def fetches_of(row: Row, times: Sequence[float]) -> list[int]:
    """Return the number of fetches (0 or 1) that *row* needs at each of *times*."""
    fetches, until = [], -1.0
    for now in times:
        fetches.append(int(now > until))
        if now > until:
            until = now + row.means.kept
    return fetches


def lasting(site: Site) -> Iterator[Row]:
    yield from outcomes.of_statuses(outcomes.SOME_STATUSES)
    yield from (*outcomes.FRESHNESS, *outcomes.NOT_FRESHER)
    yield from (*outcomes.RETRY_AFTER, *outcomes.PROXIED)
    yield from (*outcomes.TRANSFERS[:4], outcomes.NO_LENGTH)
    yield from islice(outcomes.redirects(site), 10)


def at_once(site: Site) -> Iterator[Row]:
    yield from (*outcomes.TRANSFERS, *outcomes.CODINGS, *outcomes.FILES)
    yield from outcomes.PROXIED_ONCE
    yield from outcomes.redirects(site)
    yield from outcomes.without_server(site)


@pytest.mark.parametrize(("chosen", "times"), [(lasting, TIMES), (at_once, TIMES[:1])])
def test_ours_each_answer_means_what_its_row_says(
    chosen: Callable[[Site], Iterator[Row]], times: Sequence[float], tmp_path: Path
) -> None:
    """R1 to R5, R7."""
    store = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path / 'robots.db'}"}
    with Site(tls="valid") as site:
        table = Table(site, chosen(site))
        rows = table.rows
        expected = {row.slug: fetches_of(row, times) for row in rows}
        steps: list[Any] = []
        sent = 0
        for step, now in enumerate(times):
            sent += sum(
                expected[row.slug][step] * row.means.attempts * bool(row.requests)
                for row in rows
            )

            site.answer(f"/mark/{step}", replies.Reply(gate=str(step)))
            site.open_when(str(step), "/robots.txt", count=sent)
            paths = ["/open", "/closed"] if step == 0 else [f"/open/{step}"]
            mark = CrawlRequest(site.url(f"/mark/{step}"), MARK)
            passed = now - times[step - 1] if step else 0.0
            steps += [passed, table.requests(paths), [mark]]
        site.answer("/end", replies.Reply(gate="end"))
        site.open_when("end", "/6", count=min(len(times), 2))
        steps += [[CrawlRequest(site.url("/end"), NOT_OBEYED)]] * 2
        result = crawl_over_time(
            *steps, settings=SETTINGS | store | {"DOWNLOAD_TIMEOUT": 30}
        )
        seen = table.seen()
        # If the last request of a step failed, the counts up to that step show which row is wrong.
        marks = [it.url for it in result.failed if "/mark/" in it.url]
        until = int(marks[0].rpartition("/")[2]) + 1 if marks else len(times)
        one_fetch = {row.slug: row.means.attempts * row.requests for row in rows}
        assert {slug: seen[slug] for slug in expected} == {
            slug: sum(expected[slug][:until]) * one_fetch[slug] for slug in expected
        }
        assert marks == []
        site.forget()
        next_day = crawl_over_time(
            times[-1] + 10, table.requests(["/open"]), settings=SETTINGS | store
        )
        seen_next = table.seen()

    table.assert_ended(result, "/open", "opened")
    table.assert_ended(result, "/closed", "closed")
    table.assert_ended(next_day, "/open", "opened")
    assert {slug: seen_next[slug] for slug in expected} == {
        row.slug: 0 if row.means.shared else one_fetch[row.slug] for row in rows
    }
    assert_logged(result, table)
    assert_counted(result, table, expected)


def assert_logged(result: CrawlResult, table: Table) -> None:
    """Check the log line about the first fetch of each row.

    DEBUG is accepted too, because only the first twenty lines of a kind are warnings.
    """
    lines: dict[str, list[tuple[str, str]]] = {row.slug: [] for row in table.rows}
    urls = {table.request(row, "/robots.txt").url: row.slug for row in table.rows}
    for line in result.lines("[scrapy_robots1994] "):
        said = line.partition("[scrapy_robots1994] ")[2]
        level, _, text = said.partition(": ")
        words = text.removeprefix("Could not fetch ").split(" ", 1)
        slug = urls.get(words[0].rstrip(":,"))
        if slug and "trying again" not in text:
            lines[slug].append((level, text))
    wrong = [
        (row.slug, row.log, lines[row.slug])
        for row in table.rows
        if not any(
            level in {row.means.level, "DEBUG"} and row.log in text
            for level, text in lines[row.slug][:2]
        )
    ]
    assert wrong == []
    assert result.unclean == []


def assert_counted(
    result: CrawlResult, table: Table, expected: dict[str, list[int]]
) -> None:
    wanted: Counter[str] = Counter()
    for row in table.rows:
        fetches = sum(expected[row.slug])
        kind = f"outcome/{row.means.outcome}" if row.means.outcome else "local_faults"
        wanted[f"robots1994/{kind}"] += fetches
        wanted["robots1994/retries"] += fetches * (row.means.attempts - 1)
        wanted["robotstxt/request_count"] += fetches * row.means.attempts
    assert {key: result.stats[key] for key in wanted} == dict(wanted)


def crawl_once(table: Table, **options: Any) -> CrawlResult:
    result = crawl(table.requests(["/open", "/closed"]), **options)
    table.assert_ended(result, "/open", "opened")
    table.assert_ended(result, "/closed", "closed")
    assert result.unclean == []
    return result


def test_ours_r5_answer_that_does_not_end_is_given_up(
    site: Site, reactor: Reactor
) -> None:
    """ROBOTS1994_TIMEOUT ends a fetch even while bytes are still arriving."""
    table = Table(site, outcomes.hanging(site))
    settings = SETTINGS | {"ROBOTS1994_TIMEOUT": 2, "RETRY_TIMES": 1}
    result = crawl_once(table, reactor=reactor, settings=settings)

    # Scrapy's stats do not count requests that the HTTP client repeats by itself.
    assert result.stats["robotstxt/request_count"] == 2 * len(table.rows)


@pytest.mark.long
@pytest.mark.parametrize("reactor", [it for it in reactors() if it != "asyncio"])
def test_rows_mean_the_same_on_other_reactors(reactor: Reactor) -> None:
    with Site(tls="valid") as site:
        rows = list(at_once(site))
        crawl_once(Table(site, rows), reactor=reactor, settings=SETTINGS)


@pytest.mark.parametrize("flaw", ["expired", "wrong-name"])
def test_ours_r5_invalid_certificate_makes_the_origin_unreachable(
    flaw: Flaw, reactor: Reactor
) -> None:
    with Site(tls=flaw) as site:
        row = Row("tls", None, R5, 0, site.secure_url("", host="tls.test"))
        crawl_once(Table(site, [row]), reactor=reactor, settings=VERIFYING)


def test_redirect_target_is_requested_without_credentials(site: Site) -> None:
    """R2: an `@` in the path is kept, and `allowed_domains` does not apply.

    The redirected request keeps its download slot, as in Scrapy.
    """
    target = "/cdn//team@7/robots.txt?for=us@home"
    location = site.url(target, host="elsewhere.test").replace("//", "//me:secret@", 1)
    site.answer("/robots.txt", replies.redirect(location))
    site.answer(target, replies.text(RULES))

    result = crawl(
        [site.url("/closed")],
        spider_args={"allowed_domains": ["127.0.0.1"]},
        hook="note_slots",
    )

    assert [hop.target for hop in site.log()] == ["/robots.txt", target]
    assert "authorization" not in site.log()[1].headers
    assert len(result.failed) == 1
    slots = [it for it in result.stats if it.startswith("test/slot/")]
    assert slots == ["test/slot/127.0.0.1"]
