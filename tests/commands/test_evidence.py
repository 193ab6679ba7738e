"""`robots-check --evidence`: what applied to a URL, and whether all of it fits."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.commands.running import CommandResult, scrapy
from tests.crawl.test_evidence import RULES, mixed_crawl, recording
from tests.support import evidence, replies
from tests.support.crawl import DAY, crawl, crawl_over_time
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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


def test_each_decision_of_all_answers_fits(tmp_path: Path) -> None:
    """Offline: the server is gone. The numbers are those of the files."""
    mixed_crawl(tmp_path)
    captures, _, lines = evidence.only(tmp_path)

    result = check(tmp_path, "--verify")

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


def _change_rule(folder: Path) -> None:
    (journal,) = evidence.journals(folder)
    evidence.change(journal, b'"rule": "/a"', b'"rule": "/b"')


def _change_decision(folder: Path) -> None:
    (journal,) = evidence.journals(folder)
    evidence.change(journal, b'"decision": "refused"', b'"decision": "allowed"')


def _change_digest(folder: Path) -> None:
    (journal,) = evidence.journals(folder)
    evidence.change(journal, b'"digest": "sha256:', b'"digest": "sha256:A')


def _remove_record(folder: Path) -> None:
    (warc,) = evidence.warcs(folder)
    kept = [it for it in evidence.members(warc) if b"WARC-Type: response" not in it]
    evidence.write_members(warc, kept)


def _remove_request(folder: Path) -> None:
    (warc,) = evidence.warcs(folder)
    kept = [it for it in evidence.members(warc) if b"WARC-Type: request" not in it]
    evidence.write_members(warc, kept)


def _remove_warc(folder: Path) -> None:
    (warc,) = evidence.warcs(folder)
    warc.unlink()


def _break_line(folder: Path) -> None:
    (journal,) = evidence.journals(folder)
    evidence.change(journal, b'{"time"', b'("time"')


@pytest.mark.parametrize(
    ("tamper", "named"),
    [
        (_flip_body, "the payload digest of the response"),
        (_flip_body, "the block digest of the response"),
        (_flip_body, "rule is '/a', by its record None"),
        (_flip_packed, "is not in asking-"),
        (_change_rule, "rule is '/b', by its record '/a'"),
        (_change_decision, "decision is 'allowed', by its record 'refused'"),
        (_change_digest, "digest is sha256:A"),
        (_remove_record, "is not in asking-"),
        (_remove_request, "names, is missing"),
        (_remove_warc, ".warc.gz is missing"),
        (_break_line, "not read from line 2 on: it is damaged"),
    ],
)
def test_what_was_changed_is_found_and_named(
    recorded: Path, tmp_path: Path, tamper: Callable[[Path], None], named: str
) -> None:
    """A flipped byte, a changed line of the journal, a removed record."""
    folder = tmp_path / "evidence"
    shutil.copytree(recorded, folder)

    tamper(folder)

    assert named in "\n".join(differences(folder))


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


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--at", "yesterday"], "is not a time: write it as 2026-11-23T10:00:00Z"),
        (["--verify"], "leave the URLs out"),
    ],
)
def test_wrong_use_of_the_options_is_one_sentence(
    tmp_path: Path, args: list[str], message: str
) -> None:
    """With exit code 2."""
    evidence.write_members(tmp_path / "x.jsonl.gz", [b'{"warc": "x.warc.gz"}\n'])

    result = check(tmp_path, "http://example.test/", *args)

    assert result.code == 2
    assert message in result.err


def test_folder_without_evidence_is_wrong_use(tmp_path: Path) -> None:
    """No journal is not "no difference"; and --verify without a folder is about nothing."""
    assert check(tmp_path, "--verify").code == 2
    assert "no journal" in check(tmp_path, "--verify").err
    without = scrapy("robots-check", "--verify")
    assert without.code == 2
    assert "--evidence" in without.err


def test_robots_takes_a_warc_of_captures(tmp_path: Path) -> None:
    """The last capture of each origin decides; without one, nothing is known."""
    mixed = mixed_crawl(tmp_path)
    (warc,) = evidence.warcs(tmp_path)
    by_host = {page.split("/")[2].split(":")[0]: page for page in mixed.pages}
    urls = {
        "file.test": 0,
        "packed.test": 0,
        "absent.test": 0,
        "closed.test": 1,
        "moved.test": 3,
    }

    codes = {
        host: scrapy("robots-check", "--robots", str(warc), by_host[host]).code
        for host in urls
    }
    refused = by_host["file.test"].removesuffix("b") + "a"

    assert codes == urls
    assert scrapy("robots-check", "--robots", str(warc), refused).code == 1
    assert scrapy("robots-check", "--robots", str(warc), "/a").code == 2
