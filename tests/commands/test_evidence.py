"""`robots-check --evidence`: what applied to a URL, and whether all of it fits."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

import pytest

from tests.commands.running import CommandResult, scrapy
from tests.crawl.test_evidence import RULES, mixed_crawl, recording
from tests.support import evidence, replies
from tests.support.crawl import DAY, CrawlRequest, crawl, crawl_over_time, start_crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy import Request, Spider
    from scrapy.http import Response


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the evidence of a small crawl, which fits; tests change copies of it."""
    folder = tmp_path_factory.mktemp("evidence")
    with Site() as site:
        site.robots(RULES)
        crawl([site.url("/a"), site.url("/b")], settings=recording(folder))
    assert differences(folder) == []
    return folder


def check(folder: Path, *args: object, **options: Any) -> CommandResult:
    """Run the command on the evidence in *folder*."""
    return scrapy("robots-check", "--evidence", str(folder), *map(str, args), **options)


def differences(folder: Path) -> list[str]:
    """Return the differences that the command finds; the exit code says if any."""
    result = check(folder, "--verify", "--json")
    *found, counts = map(json.loads, result.lines)
    assert counts["differences"] == len(found)
    assert result.code == (1 if found else 0), result.err
    return [it["difference"] for it in found]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return the evidence of a crawl with many kinds of answers, and its pages."""
    folder = tmp_path_factory.mktemp("mixed")
    return folder, mixed_crawl(folder).pages


def test_each_decision_of_all_answers_fits(mixed: tuple[Path, list[str]]) -> None:
    """Offline: the server is gone. The numbers are those of the files."""
    captures, _, lines = evidence.only(mixed[0])

    result = check(mixed[0], "--verify")

    assert result.code == 0, result.err
    assert result.lines == [
        f"{len(lines)} decisions and {len(captures)} records of 1 crawl: 0 differences"
    ]


def _flip_body(folder: Path) -> None:
    (warc,) = evidence.warcs(folder)
    evidence.change(warc, b"Disallow: /a\n", b"Disallow: /A\n")


def _flip_packed(folder: Path) -> None:
    (warc,) = evidence.warcs(folder)
    packed = bytearray(warc.read_bytes())
    packed[len(packed) * 2 // 3] ^= 1
    warc.write_bytes(packed)


def _change(old: bytes, new: bytes) -> Callable[[Path], None]:
    """Return what puts *new* in the place of *old* in the journal of a folder."""

    def change(folder: Path) -> None:
        (journal,) = evidence.journals(folder)
        evidence.change(journal, old, new)

    return change


def _remove(kind: bytes) -> Callable[[Path], None]:
    """Return what removes the records of a *kind* from the WARC of a folder."""

    def remove(folder: Path) -> None:
        (warc,) = evidence.warcs(folder)
        members = evidence.members(warc)
        rest = [it for it in members if b"WARC-Type: " + kind not in it]
        evidence.write_members(warc, rest)

    return remove


def _remove_warc(folder: Path) -> None:
    (warc,) = evidence.warcs(folder)
    warc.unlink()


FLIPPED = (
    "the payload digest of the response|the block digest of the response|"
    "rule is '/a', by its record None"
)


@pytest.mark.parametrize(
    ("tamper", "named"),
    [
        (_flip_body, FLIPPED),
        (_flip_packed, "is not in asking-"),
        (_change(b'"rule": "/a"', b'"rule": "/b"'), "rule is '/b', by its record '/a'"),
        (
            _change(b'"decision": "refused"', b'"decision": "allowed"'),
            "decision is 'allowed', by its record 'refused'",
        ),
        (_change(b'"digest": "sha256:', b'"digest": "sha256:A'), "digest is 'sha256:A"),
        (
            _change(b'"dialect": "1994"', b'"dialect": "rfc9309"'),
            "dialect is 'rfc9309', by its WARC '1994'",
        ),
        (_remove(b"response"), "is not in asking-"),
        (_remove(b"request"), "names, is missing"),
        (_remove_warc, ".warc.gz is missing"),
        (_change(b'{"time"', b'("time"'), "not read from line 2 on: it is damaged"),
    ],
)
def test_what_was_changed_is_found_and_named(
    recorded: Path, tmp_path: Path, tamper: Callable[[Path], None], named: str
) -> None:
    """A flipped byte, a changed line of the journal, a removed record."""
    folder = tmp_path / "evidence"
    shutil.copytree(recorded, folder)

    tamper(folder)

    found = "\n".join(differences(folder))
    for name in named.split("|"):
        assert name in found


def test_end_of_a_killed_crawl_is_no_difference(recorded: Path, tmp_path: Path) -> None:
    """Both files may break off in the middle of what was written last."""
    folder = tmp_path / "evidence"
    shutil.copytree(recorded, folder)
    (journal,) = evidence.journals(folder)
    text = b"".join(evidence.members(journal)).splitlines(keepends=True)
    evidence.write_members(journal, [*text[:2], text[2][:20]])
    (warc,) = evidence.warcs(folder)
    with warc.open("ab") as file:
        file.write(warc.read_bytes()[:300])

    result = check(folder, "--verify")

    assert result.code == 0, result.out
    assert result.lines[-1].startswith("1 decision and ")
    assert "breaks off within line 3" in result.err
    assert "breaks off within a record" in result.err


def test_url_is_shown_with_its_line_record_and_place(tmp_path: Path) -> None:
    """A URL that was not requested is decided by what its origin had said."""
    with Site() as site:
        site.robots(RULES)
        pages = [site.url("/a"), site.url("/b")]
        crawl(pages, settings=recording(tmp_path))
        other = site.url("/a/other")
    captures, _, lines = evidence.only(tmp_path)
    (response,) = [it for it in captures if it.kind == "response"]

    result = check(tmp_path, *pages, other, "http://other.test/", "--json")

    refused, allowed, never, unknown = map(json.loads, result.lines)
    assert result.code == 3
    assert (refused["allowed"], refused["verdict"]["line"]) == (False, 2)
    assert allowed["allowed"] is True
    assert (never["allowed"], never["evidence"]["url"]) == (False, lines[-1]["url"])
    assert unknown["is_known"] is False
    (warc,) = evidence.warcs(tmp_path)
    for found, number in ((refused, 2), (allowed, 3)):
        place = found["evidence"]
        assert place["record"] == response.record
        assert place["warc"] == str(warc)
        assert place["line"] == number
        # Where it stands: the member that begins there is the record.
        at = warc.read_bytes()[place["byte"] :]
        warc_at = tmp_path / "rest.warc.gz"
        warc_at.write_bytes(at)
        assert evidence.captures(warc_at)[0].record == response.record
        warc_at.unlink()

    text = check(tmp_path, pages[0])
    assert text.code == 1
    assert text.lines[0].endswith("line 2")
    assert response.record in text.out
    assert text.lines[-1].endswith("checked as recorded")


def test_time_chooses_what_applied_then(tmp_path: Path) -> None:
    """A file that closes on the second day: --at says what held on the first."""
    with Site() as site:
        site.answer("/robots.txt", [replies.text(b""), replies.text(RULES)])
        page = site.url("/a")
        crawl_over_time([page], 2 * DAY, [page], settings=recording(tmp_path))
    _, _, (first, second) = evidence.only(tmp_path)

    codes = {
        time: check(tmp_path, page, "--at", time).code
        for time in (first["time"], second["time"], "2000-01-01", "2999-01-01T00:00Z")
    }

    assert [first["decision"], second["decision"]] == ["allowed", "refused"]
    assert codes == {
        first["time"]: 0,
        second["time"]: 1,
        "2000-01-01": 3,
        "2999-01-01T00:00Z": 1,
    }
    assert check(tmp_path, page).code == 1
    # Without a time, the last capture decides.
    (warc,) = evidence.warcs(tmp_path)
    assert scrapy("robots-check", "--robots", str(warc), page).code == 1


def test_robots_takes_a_warc_of_captures(mixed: tuple[Path, list[str]]) -> None:
    """The last capture of each origin decides; without one, nothing is known."""
    (warc,) = evidence.warcs(mixed[0])
    by_host = {page.split("/")[2].split(":")[0]: page for page in mixed[1]}
    expected = {
        by_host["file.test"]: "allowed",
        by_host["packed.test"]: "allowed",
        by_host["absent.test"]: "allowed",
        by_host["closed.test"]: "disallowed",
        by_host["moved.test"]: "unknown",
        by_host["file.test"].removesuffix("b") + "a": "disallowed",
    }
    command = ("robots-check", "--robots", str(warc))

    result = scrapy(*command, *expected, "--json")
    without_an_origin = scrapy(*command, "/a")

    assert result.code == 3
    rows = map(json.loads, result.lines)
    words = {True: "allowed", False: "disallowed"}
    assert {
        it["url"]: words[it["allowed"]] if it["is_known"] else "unknown" for it in rows
    } == expected
    assert without_an_origin.code == 2


def robots_decisions(folder: Path) -> list[tuple[str, str, str | None]]:
    """Return decision, reason and kind of the record of each line in *folder*."""
    captures, _, lines = evidence.only(folder)
    kinds = {it.record: it.kind for it in captures}
    return [
        (it["decision"], it["reason"], kinds.get(it["record"] or "")) for it in lines
    ]


def test_dry_run_journals_what_ours_would_have_decided(tmp_path: Path) -> None:
    """Its header says so; the answers to Scrapy's own middleware are recorded."""
    with Site() as site:
        site.robots(RULES)
        site.answer("/robots.txt", replies.hang_up(), at="mute.test")
        pages = [site.url("/a"), site.url("/b"), site.url("/c", host="mute.test")]
        crawl(pages, settings=recording(tmp_path, ROBOTS1994_DRY_RUN=True))

    captures, header, lines = evidence.only(tmp_path)
    assert header["dry_run"] is True
    (response,) = [it for it in captures if it.kind == "response"]
    assert (response.status, response.body) == (200, RULES)
    decided = {it["url"]: (it["decision"], it["reason"]) for it in lines}
    assert decided == {
        pages[0]: ("refused", "rule"),
        pages[1]: ("allowed", "no-rule"),
        pages[2]: ("refused", "unreachable"),
    }
    assert differences(tmp_path) == []


def test_failure_on_our_side_is_unchecked_with_its_reason(tmp_path: Path) -> None:
    """R7: a dead proxy; the request fails, and its line names the failure."""
    with Site() as site:
        proxy = site.refused_url("")
        page = CrawlRequest(site.url("/b"), meta={"proxy": proxy})
        result = crawl([page], settings=recording(tmp_path))
        assert site.targets() == []

    assert result.failed_urls == [page.url]
    ((decision, reason, kind),) = robots_decisions(tmp_path)
    assert (decision, kind) == ("unchecked", "metadata")
    assert "refused" in reason
    assert differences(tmp_path) == []


def test_304_is_a_revisit_of_the_file_that_it_confirms(tmp_path: Path) -> None:
    """The second decision names the revisit, and is verified by the file."""
    tag = (("ETag", '"1"'), ("Content-Type", "text/plain"))
    with Site() as site:
        first = replies.Reply(body=RULES, headers=tag)
        site.answer("/robots.txt", [first, replies.status(304, ETag='"1"')])
        page = site.url("/a")
        crawl_over_time([page], 2 * DAY, [page], settings=recording(tmp_path))

    captures, _, (before, after) = evidence.only(tmp_path)
    (file,) = [it for it in captures if it.kind == "response"]
    (revisit,) = [it for it in captures if it.kind == "revisit"]
    assert (before["record"], after["record"]) == (file.record, revisit.record)
    assert revisit.names("WARC-Refers-To") == file.record
    assert revisit.headers["WARC-Refers-To-Date"] == file.headers["WARC-Date"]
    assert revisit.status == 304
    assert before["digest"] == after["digest"]
    assert differences(tmp_path) == []


def test_304_may_confirm_a_file_that_only_the_store_had(tmp_path: Path) -> None:
    """The revisit refers to the resource, which is written first."""
    tag = (("ETag", '"1"'), ("Content-Type", "text/plain"))
    store = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    folder = tmp_path / "evidence"
    with Site() as site:
        first = replies.Reply(body=RULES, headers=tag)
        site.answer("/robots.txt", [first, replies.status(304, ETag='"1"')])
        page = site.url("/a")
        crawl([page], settings=store)
        crawl_over_time(3 * DAY, [page], settings=recording(folder, **store))

    captures, _, (line,) = evidence.only(folder)
    (resource,) = [it for it in captures if it.kind == "resource"]
    (revisit,) = [it for it in captures if it.kind == "revisit"]
    assert captures.index(resource) < captures.index(revisit)
    assert resource.body == RULES
    assert revisit.names("WARC-Refers-To") == resource.record
    assert (line["record"], line["decision"]) == (revisit.record, "refused")
    assert differences(folder) == []


def test_stale_policy_refers_to_the_last_good_answer(tmp_path: Path) -> None:
    """A failed refresh is recorded; the decision names the file, and is stale."""
    with Site() as site:
        answers = [replies.text(RULES), replies.status(503)]
        site.answer("/robots.txt", answers)
        page = site.url("/a")
        crawl_over_time([page], 3 * DAY, [page], settings=recording(tmp_path))

    captures, _, (before, after) = evidence.only(tmp_path)
    responses = {it.record: it for it in captures if it.kind == "response"}
    assert [it.status for it in responses.values()] == [200, 503]
    assert responses[after["record"]].body == RULES
    assert (before["record"], before["stale"]) == (after["record"], False)
    assert (after["decision"], after["stale"]) == ("refused", True)
    assert differences(tmp_path) == []


@pytest.mark.parametrize(
    ("place", "reply", "status"),
    [
        ("store", replies.text(RULES), 200),
        ("HTTP cache", replies.status(403), 403),
        *(
            pytest.param(place, replies.status(status), status, marks=pytest.mark.long)
            for place, status in (("store", 403), ("store", 404), ("HTTP cache", 404))
        ),
        pytest.param("HTTP cache", replies.text(RULES), 200, marks=pytest.mark.long),
    ],
)
def test_policy_that_was_not_fetched_is_a_resource(
    tmp_path: Path, place: str, reply: replies.Reply, status: int
) -> None:
    """From a store or the HTTP cache, with its status, date and source; it verifies."""
    settings: dict[str, Any] = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    if place == "HTTP cache":
        settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path / "cache")}
        now = formatdate(usegmt=True)
        reply = replace(reply, headers=(*reply.headers, ("Date", now)))
    folder = tmp_path / "evidence"
    with Site() as site:
        site.answer("/robots.txt", reply)
        crawl([site.url("/a")], settings=settings)
        crawl([site.url("/a")], settings=recording(folder, **settings))
        assert site.targets().count("/robots.txt") == 1

    captures, _, (line,) = evidence.only(folder)
    (resource,) = [it for it in captures if it.kind != "warcinfo"]
    assert (resource.kind, line["record"]) == ("resource", resource.record)
    assert resource.headers["Robots1994-Status"] == str(status)
    assert place in resource.headers["Robots1994-Source"]
    assert resource.headers["Robots1994-Fetched"] < line["time"]
    assert resource.body == (RULES if status == 200 else b"")
    assert differences(folder) == []


def test_workers_with_one_store_write_files_of_their_own(tmp_path: Path) -> None:
    """Started in the same second; each can be verified, and nothing is written over."""
    folder = tmp_path / "evidence"
    store = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    with Site() as site:
        site.robots(RULES)
        workers = [
            start_crawl(
                [site.url(f"/{number}/a"), site.url("/a")],
                settings=recording(folder, **store),
            )
            for number in range(3)
        ]
        for worker in workers:
            worker.result()
        asked = site.targets().count("/robots.txt")

    assert len(evidence.warcs(folder)) == len(evidence.journals(folder)) == 3
    files = map(evidence.captures, evidence.warcs(folder))
    assert sum(it.kind == "response" for file in files for it in file) == asked
    assert differences(folder) == []
    assert "6 decisions" in check(folder, "--verify").out


def test_several_robots_and_dialects_are_verified_each_by_its_own(
    tmp_path: Path,
) -> None:
    """A request may have a User-Agent of its own; each crawl has its dialect."""
    rules = "User-agent: one\nDisallow: /\n\nUser-agent: *\nDisallow: /x\nAllow: /x/y\n"
    with Site() as site:
        site.robots(rules)
        pages = [
            CrawlRequest(site.url("/x/y"), headers={"User-Agent": name})
            for name in ("one/1.0", "two/2.0")
        ]
        for dialect in ("1994", "rfc9309"):
            crawl(pages, settings=recording(tmp_path, ROBOTS1994_DIALECT=dialect))

    decided = {
        (line["dialect"], line["robot"]): line["decision"]
        for journal in evidence.journals(tmp_path)
        for line in evidence.lines(journal)[1]
    }
    assert decided == {
        ("1994", "one/1.0"): "refused",
        ("1994", "two/2.0"): "refused",
        ("rfc9309", "one/1.0"): "refused",
        ("rfc9309", "two/2.0"): "allowed",
    }
    assert differences(tmp_path) == []


def test_answer_that_a_middleware_changed_is_a_resource_of_what_was_read(
    tmp_path: Path,
) -> None:
    """The answer of the server is recorded, too; what decides is what was made of it."""
    with Site() as site:
        site.robots(RULES)
        settings = {
            "DOWNLOADER_MIDDLEWARES": {"tests.commands.test_evidence.OpenRobots": 900}
        }
        crawl([site.url("/a")], settings=recording(tmp_path, **settings))
        assert "/a" in site.targets()

    captures, _, (line,) = evidence.only(tmp_path)
    (response,) = [it for it in captures if it.kind == "response"]
    (resource,) = [it for it in captures if it.kind == "resource"]
    assert (response.body, resource.body) == (RULES, b"")
    assert resource.headers["Robots1994-Source"] == "a downloader middleware"
    assert line["record"] == resource.record
    assert differences(tmp_path) == []


class OpenRobots:
    """A downloader middleware that empties each robots.txt."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Return an empty file for a robots.txt."""
        is_file = request.url.endswith("/robots.txt")
        return response.replace(body=b"") if is_file else response


def test_no_credential_is_written(tmp_path: Path) -> None:
    """Not of a request, a proxy, a URL, a redirect or an answer."""
    secrets = ("hunter2", "s3cret", "opensesame")
    with Site() as site:
        port = site.url("").rpartition(":")[2]
        moved = f"http://me:opensesame@moved.test:{port}/r"
        site.answer("/robots.txt", replies.redirect(moved))
        answer = replies.text(RULES)
        cookie = ("Set-Cookie", "session=s3cret")
        site.answer("/r", replace(answer, headers=(*answer.headers, cookie)))
        page = CrawlRequest(
            f"http://user:hunter2@127.0.0.1:{port}/b",
            headers={"Authorization": "Basic hunter2", "Cookie": "a=hunter2"},
            meta={"proxy": f"http://me:s3cret@127.0.0.1:{port}"},
        )
        crawl([page], settings=recording(tmp_path))
        assert [it.target for it in site.log()][-1].endswith("/b")

    text = b"".join(
        b"".join(evidence.members(path)) for path in sorted(tmp_path.iterdir())
    ).decode()
    assert not [it for it in secrets if it in text]
    for name in ("authorization", "cookie"):
        assert f"{name}: " not in text.lower()
    captures, _, (line,) = evidence.only(tmp_path)
    assert line["url"] == f"http://127.0.0.1:{port}/b"
    assert not [it for it in captures if "WARC-IP-Address" in it.headers]
    assert differences(tmp_path) == []


def test_command_that_fetches_writes_none(tmp_path: Path) -> None:
    """`robots-check URL` is no crawl of pages: there is nothing to show later."""
    with Site() as site:
        site.robots(RULES)
        setting = f"ROBOTS1994_EVIDENCE={tmp_path / 'evidence'}"
        result = scrapy("robots-check", "-s", setting, site.url("/a"))

    assert result.code == 1
    assert not (tmp_path / "evidence").exists()


def test_compare_reads_the_captures_of_a_folder_of_evidence(recorded: Path) -> None:
    """The WARC alone: the journal has no robots.txt."""
    parser = "tests.commands.parsers.OpenParser"
    result = scrapy("robots-compare", str(recorded), "--parsers", parser, "--json")

    assert result.code == 0, result.err
    assert json.loads(result.out)["files"] == 1
