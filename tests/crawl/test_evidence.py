"""Tests of ROBOTS1994_EVIDENCE: a WARC with each answer, and a journal with each decision."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import evidence, replies
from tests.support.crawl import CrawlRequest, crawl
from tests.support.left_out import table
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl import Reactor

KEYS = (
    "time method url robot decision reason line rule dialect record digest stale "
    "failure usage"
)
RULES = b"User-agent: *\nDisallow: /a\n"
PACKED = replies.status(200, gzip.compress(RULES), Content_Encoding="gzip")
ANSWERS = {
    "file.test": replies.text(RULES),
    "packed.test": PACKED,
    "absent.test": replies.status(404, b"no such file"),
    "gone.test": replies.status(410),
    "closed.test": replies.status(403, b"go away"),
    "down.test": replies.status(503, b"later"),
    "mute.test": replies.hang_up(),
}
"""Maps each host to its answer to the request for robots.txt."""
LONG = b"User-agent: *\nDisallow: /a\n" + b"# filling\n" * 100


def recording(folder: Path, **settings: Any) -> dict[str, Any]:
    """Return the settings of a crawl with evidence."""
    return {"ROBOTS1994_EVIDENCE": str(folder), **settings}


def test_evidence_has_every_answer_of_the_log_and_every_decision(
    tmp_path: Path, reactor: Reactor
) -> None:
    """The WARC has a record of every answer, and the journal has a line for every decision.

    Some answers are redirects, and some answers have compressed bodies. A fetch without an
    answer appears only in the journal.
    """
    with Site() as site:
        moved = site.url("/r", host="file.test")
        scripts = ANSWERS | {"moved.test": replies.redirect(moved)}
        for host, reply in scripts.items():
            site.answer("/robots.txt", reply, at=host)
        site.answer("/r", replies.text(LONG), at="file.test")
        pages = [site.url(path, host=host) for host in scripts for path in ("/a", "/b")]
        result = crawl(pages, settings=recording(tmp_path), reactor=reactor)
        log = [it for it in site.log() if it.target in ("/robots.txt", "/r")]
        files = {site.url("/robots.txt", host=it): scripts[it] for it in scripts}
        mute = site.url("/robots.txt", host="mute.test")
    asked = Counter(f"http://{it.host}{it.target}" for it in log)
    answers = {url: (reply.status, reply.body) for url, reply in files.items()}
    answers[moved] = 200, LONG
    del asked[mute], answers[mute]

    captures, header, lines = evidence.only(tmp_path)
    assert_recorded(captures, asked, answers)
    assert header["dry_run"] is False
    (written,) = result.lines("The evidence was written")
    assert written.endswith(f"{len(lines)} decisions and {len(captures)} records")
    assert {" ".join(line) for line in lines} == {KEYS}
    assert sorted(line["url"] for line in lines) == sorted(pages)
    refused = [it["url"] for it in lines if it["decision"] == "refused"]
    assert sorted(refused) == result.failed_urls
    assert_decided(captures, lines, {status for status, _ in answers.values()})


def assert_recorded(
    captures: Any, asked: Counter[str], answers: dict[str, Any]
) -> None:
    """Assert that the WARC has a response record for each answer, and no other response
    records.
    """
    found = [it for it in captures if it.kind == "response"]
    assert Counter(it.url for it in found) == asked
    assert {it.url: (it.status, it.body) for it in found} == answers
    requests = {it.record: it for it in captures if it.kind == "request"}
    assert len(requests) == len(found)
    for response in found:
        request = requests[response.names("WARC-Concurrent-To")]
        assert request.names("WARC-Concurrent-To") == response.record
        assert request.url == response.url
        # Scrapy 2.13 does not know the IP address of an answer with an empty body.
        if response.body:
            assert response.headers["WARC-IP-Address"] == "127.0.0.1"
    assert {it.kind for it in captures} == {"warcinfo", "request", "response"}


def assert_decided(captures: Any, lines: Any, statuses: set[int]) -> None:
    """Assert that each journal line names the record and the digest of the answer that
    decided.

    If no answer arrived, the journal line says why the fetch failed.
    """
    by_rule = [it for it in lines if it["reason"] == "rule"]
    assert {(it["line"], it["rule"]) for it in by_rule} == {(2, "/a")}
    by_id = {it.record: it for it in captures}
    failures = {it["url"].split("/")[2].split(":")[0]: it["failure"] for it in lines}
    named = {host: why for host, why in failures.items() if why}
    assert named.pop("down.test") == "HTTP 503"
    assert [(host, ": " in why) for host, why in named.items()] == [("mute.test", True)]
    for line in lines:
        if "mute.test" in line["url"]:
            assert (line["record"], line["digest"]) == (None, None)
            continue
        record = by_id[line["record"]]
        assert record.headers["WARC-Payload-Digest"] == line["digest"]
        host = line["url"].split("/")[2]
        assert record.headers["Robots1994-Origin"] == f"http://{host}"
        # A redirect never decides, so no journal line names a redirect.
        assert record.status in statuses - {302}


def test_other_tools_read_the_warc(site: Site, tmp_path: Path) -> None:
    """`warcio check` confirms every digest, and `warcio index` finds every record."""
    site.robots(RULES)
    crawl([site.url("/a"), site.url("/b")], settings=recording(tmp_path))

    (warc,) = evidence.warcs(tmp_path)
    for command in ("check", "index"):
        done = subprocess.run(
            [sys.executable, "-m", "warcio.cli", command, str(warc)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    index = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = sorted(entry["warc-type"] for entry in index)
    assert kinds == ["request", "response", "warcinfo"]


@pytest.mark.parametrize("is_dry_run", [False, True])
def test_item_may_carry_the_record_that_decided(
    site: Site, tmp_path: Path, is_dry_run: bool
) -> None:
    """The meta of a checked page contains the id of the WARC record that decided.

    A spider can put the id of the record into an item. The meta of an unchecked page
    does not contain the id of a record, even if the request was sent with an id in the
    meta.
    """
    site.robots(RULES)
    other = {"robots1994_evidence": "urn:uuid:of-another-request"}
    exempt: dict[str, Any] = {"dont_obey_robotstxt": True}
    page, *unchecked = (site.url(path) for path in ("/b", "/c", "/d", "/robots.txt"))
    metas = (exempt, exempt | other, other)
    result = crawl(
        [CrawlRequest(page, meta=other), *map(CrawlRequest, unchecked, metas)],
        spider="StampingSpider",
        settings=recording(tmp_path, ROBOTS1994_DRY_RUN=is_dry_run),
    )

    captures, _, (line,) = evidence.only(tmp_path)
    assert line["record"] in [it.record for it in captures]
    stamped = {item["url"]: item["evidence"] for item in result.items}
    assert stamped == {page: line["record"], **dict.fromkeys(unchecked)}


@pytest.mark.parametrize("is_on", [False, True])
def test_feature_is_imported_only_with_its_setting(
    site: Site, tmp_path: Path, is_on: bool
) -> None:
    """Without their settings, the modules for evidence and comparison are not imported.

    Without ROBOTS1994_EVIDENCE, the library warcio is not imported. Without
    ROBOTS1994_COMPARE, no stat of a comparison is set.
    """
    settings = recording(tmp_path, ROBOTS1994_COMPARE=True) if is_on else {}
    site.robots(RULES)
    result = crawl([site.url("/b")], settings=settings, hook="note_modules")

    loaded = result.stats["test/modules"]
    features = ("crawl.features.evidence", "crawl.features.comparison", "compare")
    assert [f"scrapy_robots1994.{it}" in loaded for it in features] == [is_on] * 3
    assert ("warcio" in loaded) is is_on
    assert any("robots1994/compare" in key for key in result.stats) is is_on
    assert ("compared" in result.log) is is_on


@table(
    ("folder", "hook", "why"),
    ("evidence", "without_warcio", "pip install 'scrapy_robots1994[evidence]'"),
    ("file", "", "{folder}"),
    ("file/evidence", "", "{folder}"),
    ("%(none)s", "", "ROBOTS1994_EVIDENCE"),
    short=2,
)
def test_crawl_does_not_start_if_nothing_can_be_written(
    site: Site, tmp_path: Path, folder: str, hook: str, why: str
) -> None:
    """If the evidence cannot be written, the crawl does not start.

    The error message is one sentence. The message names the setting, and either the
    folder that cannot be written to or the package to install.
    """
    (tmp_path / "file").write_text("not a folder")
    settings = recording(tmp_path / folder)
    result = crawl([site.url("/b")], settings=settings, hook=hook)
    assert site.targets() == []

    assert why.format(folder=tmp_path / folder) in result.error
    (line,) = result.lines("CRITICAL: The crawl")
    assert "The crawl cannot start: ROBOTS1994_EVIDENCE" in line
    assert result.error.partition(": ")[2] in line
