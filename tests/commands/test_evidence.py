"""Tests of `robots-check --evidence`.

The command shows the decision about a URL, or verifies that the evidence is consistent.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.test_evidence import ANSWERS, RULES, recording
from tests.support import evidence, replies
from tests.support.commands import CommandResult, scrapy
from tests.support.crawl import DAY, CrawlRequest, crawl, crawl_over_time, start_crawl
from tests.support.left_out import table
from tests.support.site import Site

CONFIRMED = [
    replies.Reply(body=RULES, headers=(("ETag", '"1"'),)),
    replies.status(304, ETag='"1"'),
]
"""An answer with a file, and then a 304 that confirms the file."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the consistent evidence of a small crawl. Tests change only copies of the
    evidence.
    """
    folder = tmp_path_factory.mktemp("evidence")
    with Site() as site:
        site.robots(RULES)
        crawl([site.url("/a"), site.url("/b")], settings=recording(folder))
    assert differences(folder) == []
    return folder


def check(folder: Path, *args: str) -> CommandResult:
    """Run `robots-check` on the evidence in *folder*."""
    return scrapy("robots-check", "--evidence", str(folder), *args)


def differences(folder: Path) -> list[str]:
    """Return the differences that the command finds.

    Assert that the exit code is 1 if there are differences, and otherwise 0.
    """
    result = check(folder, "--verify", "--json")
    *found, counts = map(json.loads, result.lines)
    assert counts["differences"] == len(found)
    assert result.code == (1 if found else 0), result.err
    return [it["difference"] for it in found]


def fitting(folder: Path, *kinds: str) -> tuple[list[evidence.Capture], list[Any]]:
    """Return the records of *kinds* in the WARC, and the lines of the journal.

    Assert that the evidence is consistent, and that the records are in the order of *kinds*.
    """
    assert differences(folder) == []
    captures, _, lines = evidence.only(folder)
    found = [it for it in captures if it.kind in kinds]
    assert [it.kind for it in found] == list(kinds)
    return found, lines


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Path:
    """Return a copy of the evidence, which a test may change."""
    return shutil.copytree(recorded, tmp_path / "evidence")


FLIPPED = (
    "the payload digest of the response|the block digest of the response|"
    "rule is '/a' in the journal, but None in the record"
)


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("warc", b"Disallow: /a\n", b"Disallow: /A\n", FLIPPED),
        ("warc", b"WARC-Type: response", None, "is not in asking-"),
        ("warc", b"WARC-Type: request", None, "is missing, but the record"),
        (
            "jsonl",
            b'"rule": "/a"',
            b'"rule": "/b"',
            "is '/b' in the journal, but '/a' in the record",
        ),
        (
            *("jsonl", b'"decision": "refused"', b'"decision": "allowed"'),
            "decision is 'allowed' in the journal, but 'refused' in the record",
        ),
        ("jsonl", b'"digest": "sha256:', b'"digest": "sha256:A', "is 'sha256:A"),
        (
            *("jsonl", b'"dialect": "1994"', b'"dialect": "rfc9309"'),
            "dialect is 'rfc9309' in the journal, but '1994' in the WARC",
        ),
        (
            "jsonl",
            b'{"time"',
            b'("time"',
            "not read from line 2 on: the line is damaged",
        ),
        (
            "jsonl",
            b'"url": "http://127',
            b'"url": "http://128',
            "is about http://127.0.0.1",
        ),
    ],
)
def test_what_was_changed_or_removed_is_found_and_named(
    copied: Path, file: str, old: bytes, new: bytes | None, named: str
) -> None:
    """A changed byte of an answer, a changed value, and a removed record are each reported."""
    (path,) = copied.glob(f"*.{file}.gz")
    if new is None:
        rest = [it for it in evidence.members(path) if old not in it]
        evidence.write_members(path, rest)
    else:
        evidence.change(path, old, new)

    found = "\n".join(differences(copied))
    assert [it for it in named.split("|") if it not in found] == []


def test_damaged_and_missing_warc_are_found_and_named(copied: Path) -> None:
    """A WARC with a changed compressed byte is reported. A missing WARC is also reported."""
    (warc,) = evidence.warcs(copied)
    packed = bytearray(warc.read_bytes())
    packed[len(packed) * 2 // 3] ^= 1
    warc.write_bytes(packed)
    assert "is not in asking-" in "\n".join(differences(copied))

    warc.unlink()
    assert ".warc.gz is missing" in "\n".join(differences(copied))


def test_end_of_a_killed_crawl_is_no_difference(copied: Path) -> None:
    """An incomplete last entry of the WARC or the journal is not a difference.

    A killed crawl leaves incomplete entries.
    """
    (journal,), (warc,) = evidence.journals(copied), evidence.warcs(copied)
    text = b"".join(evidence.members(journal)).splitlines(keepends=True)
    evidence.write_members(journal, [*text[:2], text[2][:20]])
    with warc.open("ab") as file:
        file.write(warc.read_bytes()[:300])
    result = check(copied, "--verify")

    assert result.code == 0, result.out
    assert result.lines[-1].startswith("1 decision and ")
    assert "breaks off within line 3" in result.err
    assert "breaks off within a record" in result.err


def test_killed_crawls_beyond_the_first_are_counted(copied: Path) -> None:
    """Twenty notes each name an incomplete file, and one note counts the other
    incomplete files.
    """
    (journal,) = evidence.journals(copied)
    text = b"".join(evidence.members(journal)).splitlines(keepends=True)
    for number in range(25):
        name = f"{number}-{journal.name}"
        evidence.write_members(copied / name, [text[0], text[1][:20]])
    result = check(copied, "--verify")

    notes = [it for it in result.err.splitlines() if it.startswith("incomplete: ")]
    assert len(notes) == 21
    assert notes[-1] == "incomplete: and 5 more"


def test_url_is_shown_with_its_line_and_place(recorded: Path, tmp_path: Path) -> None:
    """The command shows the decision about a URL, with the line number in the journal and
    the offset in the WARC.

    For a URL that was not requested, the verdict follows from the last robots.txt answer of
    its origin.
    """
    captures, _, lines = evidence.only(recorded)
    (response,) = [it for it in captures if it.kind == "response"]
    (warc,) = evidence.warcs(recorded)
    pages = [line["url"] for line in lines]
    other = next(it for it in pages if it.endswith("/a")) + "/other"
    others = other, "http://b.test/", "ftp://b.test/"
    result = check(recorded, *pages, *others, "--json")

    *found, never, unknown, ftp = map(json.loads, result.lines)
    assert result.code == 3
    assert {it["url"]: it["allowed"] for it in found} == {
        page: page.endswith("/b") for page in pages
    }
    assert (never["allowed"], never["verdict"]["line"]) == (False, 2)
    assert never["evidence"]["url"] == pages[-1]
    assert (unknown["is_known"], ftp["is_known"]) == (False, True)
    for number, place in enumerate((it["evidence"] for it in found), start=2):
        assert (place["line"], place["warc"]) == (number, str(warc))
        # The journal line states the number of a byte of the WARC. The gzip member that
        # begins at this byte contains the record.
        rest = tmp_path / f"{number}.warc.gz"
        rest.write_bytes(warc.read_bytes()[place["byte"] :])
        assert place["record"] == response.record == evidence.captures(rest)[0].record

    text = check(recorded, other, "http://b.test/")
    assert text.code == 3
    assert text.lines[0].endswith("line 2")
    assert '  by line 2, "Disallow: /a", of the record for "*" (line 1)' in text.out
    assert response.record in text.out
    assert text.lines[-2] == "unknown     http://b.test/  not in the evidence"
    assert text.lines[-1].endswith("; policy not known for 1; checked as recorded")


def test_verdict_for_another_robot_or_dialect_is_not_called_the_decision(
    site: Site, tmp_path: Path
) -> None:
    """The text output shows the decision of the crawl. The output also shows the robot
    and the dialect for which the command checked the URL.
    """
    site.robots(b"User-agent: *\nDisallow: /a\nAllow: /a\n")
    page = site.url("/a")
    crawl([page], settings=recording(tmp_path))
    result = check(tmp_path, page, "--robot", "other", "--dialect", "rfc9309")
    text = " ".join(result.out.split())

    assert text.startswith("allowed")
    assert "the crawl decided differently (refused) at " in text
    assert 'checked as "other" in the dialect "rfc9309"' in text


def test_time_chooses_what_applied_then(site: Site, tmp_path: Path) -> None:
    """`--at` selects the robots.txt that applied at a time.

    The first file allows the page, and the second file disallows the page two days later.
    """
    site.answer("/robots.txt", [replies.text(b""), replies.text(RULES)])
    page = site.url("/a")
    crawl_over_time([page], 2 * DAY, [page], settings=recording(tmp_path))
    _, _, (first, second) = evidence.only(tmp_path)

    assert [first["decision"], second["decision"]] == ["allowed", "refused"]
    codes = {
        first["time"]: 0,
        second["time"]: 1,
        "2000-01-01": 3,
        "2999-01-01T00:00Z": 1,
    }
    assert {it: check(tmp_path, page, "--at", it).code for it in codes} == codes
    assert check(tmp_path, page).code == 1
    # Without a time, the last capture of the WARC decides.
    (warc,) = evidence.warcs(tmp_path)
    assert scrapy("robots-check", "--robots", str(warc), page).code == 1


def test_all_answers_fit_and_robots_takes_their_warc(tmp_path: Path) -> None:
    """The evidence of all kinds of answers is consistent, and `--robots` accepts its WARC.

    The last capture of each origin decides. Without a capture of an origin, the decision
    is unknown.
    """
    with Site() as site:
        moved = replies.redirect(site.url("/r", host="file.test"))
        scripts = ANSWERS | {"moved.test": moved}
        for host, reply in scripts.items():
            site.answer("/robots.txt", reply, at=host)
        site.answer("/r", replies.text(RULES), at="file.test")
        pages = [site.url(path, host=host) for host in scripts for path in ("/a", "/b")]
        crawl(pages, settings=recording(tmp_path))
    captures, _, lines = evidence.only(tmp_path)
    assert len(lines) == len(pages)
    assert check(tmp_path, "--verify").lines == [
        f"{len(lines)} decisions and {len(captures)} records of 1 crawl: 0 differences"
    ]
    (warc,) = evidence.warcs(tmp_path)
    by_host = {page.split("/")[2].split(":")[0]: page for page in pages}
    expected = {
        by_host["file.test"]: "allowed",
        by_host["packed.test"]: "allowed",
        by_host["absent.test"]: "allowed",
        by_host["closed.test"]: "disallowed",
        by_host["moved.test"]: "unknown",
        by_host["file.test"].removesuffix("b") + "a": "disallowed",
    }
    command = ("robots-check", "--robots", str(warc))
    assert scrapy(*command, "/a").code == 2
    result = scrapy(*command, *expected, "--json")

    assert result.code == 3
    rows = map(json.loads, result.lines)
    words = {True: "allowed", False: "disallowed"}
    assert {
        it["url"]: words[it["allowed"]] if it["is_known"] else "unknown" for it in rows
    } == expected


def test_answer_whose_status_decides_is_not_lost(tmp_path: Path) -> None:
    """If the status of an answer decides, the answer is used even if the body of the
    answer cannot be decompressed.

    For example, for a redirect without a target, only the status decides.
    """
    packed = {"Content_Encoding": "gzip"}
    answers = {
        "many.test": replies.status(300, b"choose"),
        "nowhere.test": replies.status(302),
        "closed.test": replies.status(403, b"\x1f\x8bgo away", **packed),
        "gone.test": replies.status(404, b"\x1f\x8bgone", **packed),
        "broken.test": replies.status(200, b"\x1f\x8bbroken", **packed),
    }
    with Site() as site:
        for host, reply in answers.items():
            site.answer("/robots.txt", reply, at=host)
        pages = [site.url("/a", host=host) for host in answers]
        crawl(pages, settings=recording(tmp_path))
    assert differences(tmp_path) == []
    (warc,) = evidence.warcs(tmp_path)
    result = scrapy("robots-check", "--robots", str(warc), *pages, "--json")

    assert [json.loads(line)["status"] for line in result.lines] == [
        300,
        302,
        403,
        404,
        None,
    ]


def test_dry_run_journals_what_ours_would_decide(site: Site, tmp_path: Path) -> None:
    """In a dry run, the journal has the decisions of our middleware.

    The header of the journal says that the crawl is a dry run. The WARC has the answers that
    the built-in middleware received.
    """
    site.robots(RULES)
    site.answer("/robots.txt", replies.hang_up(), at="mute.test")
    pages = [site.url("/a"), site.url("/b"), site.url("/c", host="mute.test")]
    crawl(pages, settings=recording(tmp_path, ROBOTS1994_DRY_RUN=True))

    (response,), lines = fitting(tmp_path, "response")
    assert evidence.only(tmp_path)[1]["dry_run"] is True
    assert (response.status, response.body) == (200, RULES)
    decided = {it["url"]: (it["decision"], it["reason"]) for it in lines}
    assert decided == {
        pages[0]: ("refused", "rule"),
        pages[1]: ("allowed", "no-rule"),
        pages[2]: ("refused", "unreachable"),
    }
    shown = " ".join(check(tmp_path, *pages).out.split())
    assert shown.count("decided, in a dry run without effect, at ") == 3


def test_failure_on_our_side_is_unchecked(site: Site, tmp_path: Path) -> None:
    """R7 (our own fault): if a proxy is dead, the journal has the failure of the request.

    The decision in the journal is `unchecked`.
    """
    proxy = site.refused_url("")
    page = CrawlRequest(site.url("/b"), meta={"proxy": proxy})
    result = crawl([page], settings=recording(tmp_path))
    assert site.targets() == []

    assert result.failed_urls == [page.url]
    _, (line,) = fitting(tmp_path)
    assert (line["decision"], line["record"]) == ("unchecked", None)
    assert "refused" in line["reason"]
    text = check(tmp_path, page.url)
    assert (text.code, text.lines[0]) == (3, f"unknown     {page.url}  no answer")
    assert "Connection was refused" in text.out


def test_fetch_without_an_answer_is_said_by_the_line(
    site: Site, tmp_path: Path
) -> None:
    """If a fetch has no answer, the line of the journal has the failure, but does not
    refer to a record of the WARC.

    The setting ROBOTS1994_UNREACHABLE of the crawl determines the decision.
    """
    site.answer("/robots.txt", replies.hang_up())
    page = site.url("/a")
    crawl([page], settings=recording(tmp_path / "closed"))
    opening = {"ROBOTS1994_UNREACHABLE": "allow"}
    crawl([page], settings=recording(tmp_path / "open", **opening))

    for name, decision, code in (("closed", "refused", 1), ("open", "allowed", 0)):
        # The setting ROBOTS1994_UNREACHABLE determines whether a URL of an unreachable
        # origin is allowed.
        assert check(tmp_path / name, page).code == code
        _, (line,) = fitting(tmp_path / name)
        assert (line["decision"], line["reason"]) == (decision, "unreachable")
        assert (line["record"], line["digest"]) == (None, None)
        shown = " ".join(check(tmp_path / name, page).out.split())
        assert line["failure"] in shown
        assert "try again" not in shown
        (journal,) = evidence.journals(tmp_path / name)
        other = b"refused" if decision == "allowed" else b"allowed"
        evidence.change(journal, b'"%s"' % decision.encode(), b'"%s"' % other)
        assert "decision is " in differences(tmp_path / name)[0]


def test_304_is_a_response_and_the_file_it_confirms_decides(
    site: Site, tmp_path: Path
) -> None:
    """A 304 is recorded as a response, and the confirmed file decides.

    The decisions before and after the 304 refer to the record with the bytes of the file.
    """
    site.answer("/robots.txt", CONFIRMED)
    page = site.url("/a")
    crawl_over_time([page], 2 * DAY, [page], settings=recording(tmp_path))

    (file, confirmed), (before, after) = fitting(tmp_path, "response", "response")
    assert (file.status, confirmed.status) == (200, 304)
    assert before["record"] == after["record"] == file.record
    assert before["digest"] == after["digest"]
    assert (before["stale"], after["stale"]) == (False, False)
    # The last capture is the 304, but the confirmed file decides.
    (warc,) = evidence.warcs(tmp_path)
    (shown,) = scrapy("robots-check", "--robots", str(warc), page, "--json").lines
    assert json.loads(shown)["verdict"]["line"] == 2


def test_304_may_confirm_a_file_of_the_store(site: Site, tmp_path: Path) -> None:
    """If a 304 confirms a file from the store, a resource record has the bytes of the file.

    The decision refers to the resource record.
    """
    store = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    folder = tmp_path / "evidence"
    site.answer("/robots.txt", CONFIRMED)
    page = site.url("/a")
    crawl([page], settings=store)
    crawl_over_time(3 * DAY, [page], settings=recording(folder, **store))

    (confirmed, resource), (line,) = fitting(folder, "response", "resource")
    assert (confirmed.status, resource.body) == (304, RULES)
    assert (line["record"], line["decision"]) == (resource.record, "refused")


def test_stale_policy_names_the_last_good_answer(site: Site, tmp_path: Path) -> None:
    """A decision after a failed refresh is stale, and refers to the record of the last
    good file.

    The answer to the failed refresh is also recorded. A decision after a 304 has
    confirmed the file has no failure.
    """
    known = replies.Reply(body=RULES, headers=(("ETag", '"1"'),))
    confirmed = replies.status(304, ETag='"1"')
    site.answer("/robots.txt", [known, replies.status(503), confirmed])
    page = site.url("/a")
    steps = ([page], 3 * DAY, [page], 2 * DAY, [page])
    crawl_over_time(*steps, settings=recording(tmp_path))

    records, (before, after, *rest) = fitting(tmp_path, *["response"] * 3)
    assert [it.status for it in records] == [200, 503, 304]
    assert (before["failure"], after["failure"]) == (None, "HTTP 503")
    assert (before["record"], before["stale"]) == (records[0].record, False)
    assert (after["record"], after["stale"]) == (records[0].record, True)
    assert after["decision"] == "refused"
    (last,) = rest
    assert (last["record"], last["failure"]) == (records[0].record, None)


def test_long_header_is_cut(site: Site, tmp_path: Path) -> None:
    """At most 4,000 characters of a header's value are written, without credentials."""
    value = "//me:opensesame@a.test/ " + "x" * 10_000
    site.answer("/robots.txt", replies.Reply(body=RULES, headers=(("Link", value),)))
    crawl([site.url("/a")], settings=recording(tmp_path))

    (response,), _ = fitting(tmp_path, "response")
    link = response.http["Link"]
    assert link.startswith("//a.test/ xxx")
    assert 3_900 < len(link) <= 4_000


def test_header_that_is_not_ascii_is_percent_encoded(
    site: Site, tmp_path: Path
) -> None:
    """The bytes of a header that are not ASCII are percent-encoded, even if the header has a
    parameter.
    """
    headers = (("X-Name", "\u00e9 %; a=b"),)
    site.answer("/robots.txt", replies.Reply(body=RULES, headers=headers))
    crawl([site.url("/a")], settings=recording(tmp_path))

    (response,), _ = fitting(tmp_path, "response")
    assert response.http["X-Name"] == "%E9 %; a=b"


def test_decision_during_a_refresh_is_stale(site: Site, tmp_path: Path) -> None:
    """If a decision does not wait for the refresh of a policy, the decision is stale."""
    site.robots(RULES)
    page = site.url("/a")
    crawl_over_time([page], DAY, [page], settings=recording(tmp_path))

    assert [it["stale"] for it in evidence.only(tmp_path)[2]] == [False, True]


@table(
    ("place", "reply"),
    ("store", replies.text(RULES)),
    ("HTTP cache", replies.status(403)),
    ("store", replies.status(403)),
    ("store", replies.status(404)),
    ("HTTP cache", replies.status(404)),
    ("HTTP cache", replies.text(RULES)),
    short=2,
)
def test_policy_that_was_not_fetched_is_a_resource(
    site: Site, tmp_path: Path, place: str, reply: replies.Reply
) -> None:
    """A policy from a store or the HTTP cache is recorded as a resource.

    The resource record has the status, the date and the source of the policy. The
    evidence can be verified.
    """
    settings: dict[str, Any] = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    if place == "HTTP cache":
        settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path / "cache")}
        now = formatdate(usegmt=True)
        reply = replace(reply, headers=(*reply.headers, ("Date", now)))
    folder = tmp_path / "evidence"
    site.answer("/robots.txt", reply)
    crawl([site.url("/a")], settings=settings)
    crawl([site.url("/a")], settings=recording(folder, **settings))
    assert site.targets().count("/robots.txt") == 1

    (_, resource), (line,) = fitting(folder, "warcinfo", "resource")
    assert len(evidence.only(folder)[0]) == 2
    assert line["record"] == resource.record
    assert resource.headers["Robots1994-Status"] == str(reply.status)
    assert place in resource.headers["Robots1994-Source"]
    assert resource.headers["Robots1994-Fetched"] < line["time"]
    assert resource.body == (RULES if reply.status == 200 else b"")


def test_workers_of_one_store_have_their_own_files(site: Site, tmp_path: Path) -> None:
    """Workers that start in the same second write different files.

    The evidence of all workers can be verified.
    """
    folder = tmp_path / "evidence"
    store = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    site.robots(RULES)
    settings = recording(folder, **store)
    pages = [[site.url(f"/{number}/a"), site.url("/a")] for number in range(3)]
    for worker in [start_crawl(it, settings=settings) for it in pages]:
        worker.result()
    asked = site.targets().count("/robots.txt")

    assert len(evidence.warcs(folder)) == len(evidence.journals(folder)) == 3
    files = map(evidence.captures, evidence.warcs(folder))
    assert sum(it.kind == "response" for file in files for it in file) == asked
    assert differences(folder) == []
    assert "6 decisions" in check(folder, "--verify").out


def test_robots_and_dialects_are_verified_apart(site: Site, tmp_path: Path) -> None:
    """Each decision is verified with its own robot name and its own dialect.

    The requests have different User-Agents, and the crawls have different dialects.
    """
    rules = "User-agent: one\nDisallow: /\n\nUser-agent: *\nDisallow: /x\nAllow: /x/y\n"
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


def test_answer_of_a_middleware_is_a_resource(site: Site, tmp_path: Path) -> None:
    """If a middleware changes the answer of the server, the changed answer is recorded as
    a resource.

    The changed answer decides. The answer of the server is also recorded.
    """
    site.robots(RULES)
    opening = {"DOWNLOADER_MIDDLEWARES": {"tests.support.components.EmptyRobots": 900}}
    crawl([site.url("/a")], settings=recording(tmp_path, **opening))
    assert "/a" in site.targets()

    (response, resource), (line,) = fitting(tmp_path, "response", "resource")
    assert (response.body, resource.body) == (RULES, b"")
    assert resource.headers["Robots1994-Source"] == "a downloader middleware"
    assert line["record"] == resource.record


def test_redirect_that_a_middleware_follows_up_is_not_the_record(
    site: Site, tmp_path: Path
) -> None:
    """If a middleware answers the request for the target of a redirect, the decision
    refers to the answer of the middleware.

    The redirect was downloaded, but the answer of the middleware was not downloaded.
    """
    site.answer("/robots.txt", replies.redirect("/moved"))
    name = "tests.support.components.AnswerMoved"
    settings = recording(tmp_path, DOWNLOADER_MIDDLEWARES={name: 900})
    result = crawl([site.url("/moved-no")], settings=settings)
    assert result.fetched_urls == []

    (response, resource), (line,) = fitting(tmp_path, "response", "resource")
    assert b"Disallow: /moved-no" in resource.body
    assert line["decision"] == "refused"
    assert line["record"] == resource.record != response.record


SECRETS = ("hunter2", "s3cret", "opensesame", "authorization: ", "cookie: ")


def test_no_credential_is_written(site: Site, tmp_path: Path) -> None:
    """The evidence contains no credential from a header, a proxy, a URL or a redirect."""
    port = site.port
    named = f"//me:opensesame@moved.test:{port}/r"
    moved = replies.redirect(f"http:{named}")
    site.answer("/robots.txt", moved)
    answered = {
        "Set-Cookie": "session=s3cret",
        "Authentication-Info": "nextnonce=s3cret",
        "X-Session-Id": "s3cret",
        "X-Amz-Security-Token": "s3cret",
        "Content-Location": named,
        "Link": f'<https:{named}>; rel="canonical", <{named}>; rel="next"',
        "Refresh": f"5; url=http:{named}",
        "Last-Modified": "Mon, 01 Jan 2026 00:00:00 GMT",
    }
    site.answer("/r", replies.Reply(body=RULES, headers=tuple(answered.items())))
    page = CrawlRequest(
        f"http://user:hunter2@127.0.0.1:{port}/b",
        headers={"Authorization": "Basic hunter2", "Cookie": "a=hunter2"},
        meta={"proxy": f"http://me:s3cret@127.0.0.1:{port}"},
    )
    sent = {
        "X-Api-Key": "hunter2",
        "X-Of-Project": "hunter2",
        "Referer": "http://x.test/?token=hunter2",
        "Accept-Language": "tlh",
        "From": "crawl@example.com",
    }
    crawl([page], settings=recording(tmp_path, DEFAULT_REQUEST_HEADERS=sent))
    assert [it.target for it in site.log()][-1].endswith("/b")

    members = [it for path in tmp_path.iterdir() for it in evidence.members(path)]
    text = b"".join(members).decode().lower()
    assert [it for it in SECRETS if it in text] == []
    captures, _, (line,) = evidence.only(tmp_path)
    assert line["url"] == f"http://127.0.0.1:{port}/b"
    assert not [it for it in captures if "WARC-IP-Address" in it.headers]
    requests = [it for it in captures if it.kind == "request"]
    for request in requests:
        assert request.http["Accept-Language"] == "tlh"
        assert request.http["From"] == "crawl@example.com"
        left_out = request.headers["Robots1994-Left-Out"].split(", ")
        assert {"X-Api-Key", "X-Of-Project", "Referer"} <= {*left_out}
    (_, answer) = [it for it in captures if it.kind == "response"]
    assert answer.http["Last-Modified"] == answered["Last-Modified"]
    assert answer.http["Content-Location"] == f"//moved.test:{port}/r"
    left_out = answer.headers["Robots1994-Left-Out"].split(", ")
    assert {*left_out} >= {*answered} - {*answer.http}
    assert differences(tmp_path) == []


def test_condition_of_a_request_is_written(site: Site, tmp_path: Path) -> None:
    """The recorded request of a 304 has the validator of the confirmed file."""
    site.answer("/robots.txt", CONFIRMED)
    page = site.url("/a")
    crawl_over_time([page], 2 * DAY, [page], settings=recording(tmp_path))

    (_, second) = evidence.captures(evidence.warcs(tmp_path)[0], "request")
    assert second.http["If-None-Match"] == '"1"'


def test_compare_reads_the_captures_of_a_folder_of_evidence(recorded: Path) -> None:
    """`robots-compare` reads the WARC in a folder of evidence.

    The command does not read the journal, because the journal contains no robots.txt.
    """
    parser = "tests.support.parsers.OpenParser"
    result = scrapy("robots-compare", str(recorded), "--parsers", parser, "--json")

    assert result.code == 0, result.err
    assert json.loads(result.out)["files"] == 1


PREFERENCES = (
    b"User-agent: *\nContent-Usage: search=y\nContent-Usage: /shut train-ai=n\n"
    b"Content-Signal: ai-train=yes\nDisallow: /closed\n"
)


def preferring(folder: Path, usage: str, **settings: Any) -> list[evidence.Line]:
    """Crawl a site with preferences, and return the lines of the journal, sorted by URL."""
    with Site() as site:
        site.robots(PREFERENCES)
        pages = [site.url(path) for path in ("/closed", "/open", "/shut")]
        own = {"ROBOTS1994_USAGE": usage, "ROBOTS1994_PURPOSES": ["train-ai", "tdm"]}
        crawl(pages, settings=recording(folder, **own | settings), may_warn=True)
    return sorted(evidence.only(folder)[2], key=lambda it: it["url"])


def test_journal_has_what_robots_txt_states_about_each_page(tmp_path: Path) -> None:
    """For each purpose that robots.txt mentions, a line of the journal has the answer,
    and the line number of the answer.

    In the mode "report", only the rules determine the decision.
    """
    closed, opened, shut = preferring(tmp_path, "report")

    assert [it["decision"] for it in (closed, opened, shut)] == [
        "refused",
        "allowed",
        "allowed",
    ]
    assert opened["usage"] == {"search": ["allow", 2], "train-ai": ["allow", 4]}
    assert shut["usage"] == {"train-ai": ["disallow", 3]}
    assert differences(tmp_path) == []
    (info,) = evidence.captures(evidence.warcs(tmp_path)[0], "warcinfo")
    assert b"ROBOTS1994_PURPOSES: train-ai,tdm\r\n" in info.body
    assert b"usage-preferences: AIPREF vocab-" in info.body


def test_page_that_is_declined_for_a_purpose_is_no_refusal(tmp_path: Path) -> None:
    """If a page is not requested because of a purpose, the decision is `declined`.

    The line of the journal has the purpose and the preference. The command shows and
    verifies the purpose and the preference.
    """
    closed, opened, shut = preferring(tmp_path, "requests")

    assert [it["decision"] for it in (closed, opened, shut)] == [
        "refused",
        "allowed",
        "declined",
    ]
    assert (shut["reason"], shut["line"], shut["rule"]) == ("train-ai", 3, "train-ai=n")
    assert differences(tmp_path) == []
    result = check(tmp_path, shut["url"])
    assert result.lines[0].startswith("allowed")
    assert "not requested for train-ai because of line 3" in " ".join(
        result.out.split()
    )
    assert check(tmp_path, shut["url"], "--purpose", "train-ai").code == 1


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (
            b'{"train-ai": ["disallow", 3]}',
            b"null",
            "usage is None in the journal, but {'train-ai'",
        ),
        (
            b'["disallow", 3]',
            b'["disallow", 4]',
            "usage is {'train-ai': ['disallow', 4]}",
        ),
        (
            b'"decision": "declined"',
            b'"decision": "allowed"',
            "decision is 'allowed' in the journal, but",
        ),
    ],
)
def test_changed_preference_of_a_line_is_a_difference(
    tmp_path: Path, old: bytes, new: bytes, difference: str
) -> None:
    """A changed preference in the journal is reported as a difference.

    The command computes the preference again from the bytes of the record.
    """
    preferring(tmp_path, "requests")
    evidence.change(evidence.journals(tmp_path)[0], old, new)

    (found, *_) = differences(tmp_path)
    assert difference in found


def test_preferences_of_other_versions_are_said_to_be_so(tmp_path: Path) -> None:
    """The command reports that the evidence has preferences of another AIPREF version.

    The labels of preferences can differ between versions of AIPREF.
    """
    preferring(tmp_path, "report")
    (warc,) = evidence.warcs(tmp_path)
    evidence.change(warc, b"preferences: AIPREF", b"preferences: DRAFTS")

    assert any("according to DRAFTS vocab-" in it for it in differences(tmp_path))


def test_journal_has_no_preferences_where_they_are_not_read(tmp_path: Path) -> None:
    """The journal has no preferences if ROBOTS1994_USAGE is off, or in a dry run."""
    for number, settings in enumerate(({}, {"ROBOTS1994_DRY_RUN": True})):
        folder = tmp_path / str(number)
        lines = preferring(folder, "report" if number else "off", **settings)
        assert {it["usage"] for it in lines} == {None}
        assert differences(folder) == []
