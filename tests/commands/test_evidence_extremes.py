"""Tests of evidence if the crawl is killed, if the disk is full, or if the folder is
removed.
"""

from __future__ import annotations

import math
import random
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.test_evidence import RULES, recording
from tests.support import evidence, replies
from tests.support.commands import scrapy
from tests.support.crawl import crawl, start_crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.crawl import Reactor

LOST_SECONDS = 5.0
"""If a crawl is killed, decisions of its last seconds can be missing. This constant is
the maximum number of seconds whose decisions can be missing. The number includes the
time between two writes on a busy machine.
"""

FAILED = "robots_evidence_failed"


def sent_to(site: Site, before: float = math.inf) -> list[str]:
    """Return the sorted URLs of the pages that were requested before the time *before*."""
    log = [it for it in site.log() if it.at < before and it.target != "/robots.txt"]
    return sorted(f"http://{it.host}{it.target}" for it in log)


def verified(folder: Path) -> int:
    """Verify the evidence in *folder*, and return the number of decisions."""
    result = scrapy("robots-check", "--evidence", str(folder), "--verify")
    assert result.code == 0, result.out + result.err
    assert result.lines[-1].endswith("0 differences")
    return sum(len(evidence.lines(it)[1]) for it in evidence.journals(folder))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_killed_crawl_leaves_files_that_fit(
    site: Site, tmp_path: Path, seed: int
) -> None:
    """If a crawl is killed at a random moment, the evidence of the crawl can be
    verified.

    Only the decisions of the last seconds before the kill are missing.
    """
    moment = random.Random(seed).randrange(1, 1_000)  # noqa: S311 - a moment
    site.answer("/robots.txt", replies.text(RULES))
    site.answer("*", replies.Reply(delay=0.02))
    places = [(f"/{page}/b", f"h{it}.test") for it in range(40) for page in range(50)]
    pages = [site.url(path, host=host) for path, host in places]
    running = start_crawl(pages, settings=recording(tmp_path))
    site.wait(count=moment)
    running.kill()
    old = sent_to(site, before=time.monotonic() - LOST_SECONDS)

    # FastWARC must read the whole WARC, and Python's gzip must read the whole journal.
    _, header, lines = evidence.only(tmp_path)
    assert header["dry_run"] is False
    assert {*old} <= {line["url"] for line in lines}
    assert verified(tmp_path) == len(lines)


def test_removed_folder_closes_the_crawl_with_one_error(
    site: Site, tmp_path: Path, reactor: Reactor
) -> None:
    """If the folder of the evidence is removed, the crawl closes, and logs one error.

    Even a crawl that would finish before the next write closes with one error.
    """
    site.robots(RULES)
    pages = [site.url(f"/{number}/b") for number in range(5)]
    result = crawl(
        pages,
        settings=recording(tmp_path / "evidence"),
        hook="remove_evidence",
        reactor=reactor,
    )
    sent = sent_to(site)

    assert result.stats["finish_reason"] == FAILED
    assert sent == result.fetched_urls
    errors = [it for it in result.log.split("\n") if "] ERROR: " in it]
    assert len(errors) == 1, errors
    assert f"closes with the reason {FAILED}" in errors[0]
    assert str(tmp_path / "evidence") in errors[0]
    assert result.unclean == []


def test_answer_that_cannot_be_recorded_closes_the_crawl(
    site: Site, tmp_path: Path
) -> None:
    """If the answer of a site cannot be written as a record, the crawl closes with one error."""
    site.robots(RULES)
    pages = [site.url(f"/{number}/b") for number in range(5)]
    result = crawl(
        pages, settings=recording(tmp_path), hook="receive_an_odd_header", may_warn=True
    )

    assert result.stats["finish_reason"] == FAILED
    errors = [it for it in result.log.split("\n") if "] ERROR: " in it]
    assert len(errors) == 1, errors
    assert f"closes with the reason {FAILED}" in errors[0]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield the folder of a disk of 64 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder))
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("only root may mount a disk")
    yield folder
    subprocess.run(("umount", str(folder)), check=True)


@pytest.mark.long
def test_full_disk_closes_the_crawl_and_nothing_is_lost(
    site: Site, tmp_path: Path, small_disk: Path
) -> None:
    """If the disk is full, the crawl closes, and no page is lost.

    The spider receives each page that was requested. All other pages remain in the
    scheduler. The evidence can be verified.
    """
    # Crawl about 20 origins in a second, so that the disk has room for the first writes.
    job: dict[str, Any] = {
        "JOBDIR": str(tmp_path / "job"),
        "CONCURRENT_REQUESTS": 4,
        "ROBOTS1994_MAX_WAITING": 0,
    }
    spider = "FilteredSpider"
    site.robots(RULES)
    site.answer("*", replies.Reply(delay=0.2))
    pages = [site.url("/b", host=f"h{number}.test") for number in range(150)]
    settings = recording(small_disk, LOG_LEVEL="INFO", **job)
    first = crawl(pages, spider=spider, settings=settings)
    sent = sent_to(site)
    second = crawl(pages, spider=spider, settings=job)

    assert first.stats["finish_reason"] == FAILED
    assert first.log.count("] ERROR: ") == 1
    assert "No space left on device" in first.log
    assert sent == first.fetched_urls
    assert 0 < len(sent) < len(pages)
    assert sorted(first.fetched_urls + second.fetched_urls) == sorted(pages)
    copy = tmp_path / "copy"
    shutil.copytree(small_disk, copy)
    assert verified(copy) > 0
