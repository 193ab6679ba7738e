"""Evidence of crawls that are killed, and where the disk is full or the folder removed."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import signals

from tests.commands.running import scrapy
from tests.crawl.test_evidence import RULES, recording
from tests.support import evidence, replies
from tests.support.crawl import crawl, reactors, start_crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from tests.support.crawl import Reactor

HOSTS, PAGES = 40, 50
LOST_SECONDS = 5.0
"""What may be missing after a kill: the second between two writes, on a busy machine."""

CONCURRENT = 16
"""Requests that Scrapy sends at a time."""

FAILED = "robots_evidence_failed"


def pages_of(site: Site) -> list[str]:
    """Return some pages of each host, the hosts one after the other."""
    return [
        site.url(f"/{page}/b", host=f"h{host}.test")
        for host in range(HOSTS)
        for page in range(PAGES)
    ]


def verified(folder: Path) -> int:
    """Return the number of decisions in *folder*, all of which fit their records."""
    result = scrapy("robots-check", "--evidence", str(folder), "--verify")
    assert result.code == 0, result.out + result.err
    assert result.lines[-1].endswith("0 differences")
    return sum(len(evidence.lines(it)[1]) for it in evidence.journals(folder))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_killed_crawl_leaves_files_that_fit(tmp_path: Path, seed: int) -> None:
    """SIGKILL at a random moment: each line verifies, and the last seconds are missing."""
    moment = random.Random(seed).randrange(1, HOSTS * PAGES // 2)  # noqa: S311 - a moment
    with Site() as site:
        site.answer("/robots.txt", replies.text(RULES))
        site.answer("*", replies.Reply(delay=0.02))
        running = start_crawl(pages_of(site), settings=recording(tmp_path))
        site.wait(count=moment)
        running.kill()
        killed = time.monotonic()
        old = {
            f"http://{it.host}{it.target}"
            for it in site.log()
            if it.at < killed - LOST_SECONDS and it.target != "/robots.txt"
        }

    # FastWARC and the gzip of Python read both to their ends.
    _, header, lines = evidence.only(tmp_path)
    assert header["dry_run"] is False
    assert old <= {line["url"] for line in lines}
    assert verified(tmp_path) == len(lines)


def remove_folder(crawler: Crawler) -> None:
    """Remove the folder of the evidence with the first page."""

    def received() -> None:
        shutil.rmtree(crawler.settings["ROBOTS1994_EVIDENCE"], ignore_errors=True)

    crawler.signals.connect(received, signals.response_received, weak=False)


@pytest.mark.parametrize("reactor", reactors())
def test_removed_folder_closes_the_crawl_with_one_error(
    tmp_path: Path, reactor: Reactor
) -> None:
    """Also a short crawl, which would have finished before the next write."""
    with Site() as site:
        site.robots(RULES)
        pages = [site.url(f"/{number}/b") for number in range(5)]
        result = crawl(
            pages,
            settings=recording(tmp_path / "evidence"),
            hook="tests.commands.test_evidence_extremes:remove_folder",
            reactor=reactor,
        )
        sent = [target for target in site.targets() if target != "/robots.txt"]

    assert result.stats["finish_reason"] == FAILED
    assert sorted(site.url(it) for it in sent) == result.fetched_urls
    errors = [it for it in result.log.split("\n") if "] ERROR: " in it]
    assert len(errors) == 1, errors
    assert f"closes with the reason {FAILED}" in errors[0]
    assert str(tmp_path / "evidence") in errors[0]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a disk of 64 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder))
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("only root may mount a disk")
    yield folder
    subprocess.run(("umount", str(folder)), check=True)


@pytest.mark.long
def test_full_disk_closes_the_crawl_and_nothing_is_lost(
    tmp_path: Path, small_disk: Path
) -> None:
    """What was sent is delivered, what was not is with the scheduler; the rest verifies."""
    # About 20 origins a second, so that the disk takes the first writes.
    job: dict[str, Any] = {
        "JOBDIR": str(tmp_path / "job"),
        "CONCURRENT_REQUESTS": 4,
        "ROBOTS1994_MAX_WAITING": 0,
    }
    spider = "FilteredSpider"
    with Site() as site:
        site.robots(RULES)
        site.answer("*", replies.Reply(delay=0.2))
        pages = [site.url("/b", host=f"h{number}.test") for number in range(150)]
        settings = recording(small_disk, LOG_LEVEL="INFO", **job)
        first = crawl(pages, spider=spider, settings=settings)
        sent = [
            f"http://{it.host}{it.target}"
            for it in site.log()
            if it.target != "/robots.txt"
        ]
        second = crawl(pages, spider=spider, settings=job)

    assert first.stats["finish_reason"] == FAILED
    assert first.log.count("] ERROR: ") == 1
    assert "No space left on device" in first.log
    assert sorted(sent) == first.fetched_urls
    assert 0 < len(sent) < len(pages)
    assert sorted(first.fetched_urls + second.fetched_urls) == sorted(pages)
    copy = tmp_path / "copy"
    shutil.copytree(small_disk, copy)
    assert verified(copy) > 0


def block_disk(crawler: Crawler) -> None:
    """Make each write of evidence wait for ever, as for a disk that hangs.

    Both open files become pipes that are full, and that have no reader.
    """

    def opened() -> None:
        unread, full = os.pipe()
        os.set_blocking(full, False)
        with suppress(BlockingIOError):
            while True:
                os.write(full, bytes(4_096))
        os.set_blocking(full, True)
        blocked = 0
        for each in Path("/proc/self/fd").iterdir():
            with suppress(FileNotFoundError):
                if each.readlink().name.endswith((".warc.gz", ".jsonl.gz")):
                    os.dup2(full, int(each.name))
                    blocked += 1
        assert blocked == len(("WARC", "journal"))
        # Without a reader that is open, a write fails.
        crawler.unread = unread  # type: ignore[attr-defined]

    crawler.signals.connect(opened, signals.spider_opened, weak=False)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux")
@pytest.mark.parametrize("reactor", reactors())
def test_disk_that_hangs_closes_the_crawl_before_memory_is_full(
    tmp_path: Path, reactor: Reactor
) -> None:
    """At 64 MB that wait; what was sent is delivered, the rest is with the scheduler."""
    # A line of the journal has the name of the robot, here a megabyte, which is not sent.
    name = "examplebot " + 1_000_000 * "x"
    job: dict[str, Any] = {
        "JOBDIR": str(tmp_path / "job"),
        "ROBOTSTXT_USER_AGENT": name,
        "CONCURRENT_REQUESTS": CONCURRENT,
    }
    spider = "FilteredSpider"
    with Site() as site:
        site.robots(RULES)
        pages = [site.url(f"/{number}/b") for number in range(150)]
        first = crawl(
            pages,
            spider=spider,
            settings=recording(tmp_path / "evidence", LOG_LEVEL="INFO", **job),
            hook="tests.commands.test_evidence_extremes:block_disk",
            reactor=reactor,
        )
        sent = [target for target in site.targets() if target != "/robots.txt"]
        second = crawl(pages, spider=spider, settings=job, reactor=reactor)

    assert first.stats["finish_reason"] == FAILED
    assert first.log.count("] ERROR: ") == 1
    assert "the disk does not follow the crawl" in first.log
    # The 64th line is too much; of those before it, what was not sent may go back.
    assert sorted(site.url(it) for it in sent) == first.fetched_urls
    assert 64 - CONCURRENT <= len(sent) < len(pages)
    assert sorted(first.fetched_urls + second.fetched_urls) == sorted(pages)
