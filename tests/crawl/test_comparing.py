"""The parsers of a comparison and the path of its report, without a crawl."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Spider
from scrapy.robotstxt import PythonRobotParser
from scrapy.settings import Settings

from scrapy_robots1994 import MissingExtra, SettingsError
from scrapy_robots1994.commands.compare_inputs import CompareInputs, origin_of
from scrapy_robots1994.commands.inputs import expand
from scrapy_robots1994.compare.diagnosis import Cause
from scrapy_robots1994.compare.impact import MAX_EXAMPLES, Change
from scrapy_robots1994.compare.parsers import Direction
from scrapy_robots1994.compare.report import as_plain
from scrapy_robots1994.crawl.features import comparison
from scrapy_robots1994.crawl.features.comparison import ShadowComparison
from scrapy_robots1994.crawl.features.peers import make_comparer, peers, portable
from scrapy_robots1994.crawl.setting_types import PARSERS
from scrapy_robots1994.crawl.settings import RobotsSettings, report_path
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import Policy, RobotsResponse
from scrapy_robots1994.robotstxt import Reader
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from pathlib import Path

ORIGIN = Origin("http", "a.test", 80)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (False, ()),
        ("0", ()),
        ("", ()),
        (None, ()),
        (True, ("ROBOTSTXT_PARSER",)),
        ("true", ("ROBOTSTXT_PARSER",)),
        ("A, b.C,", ("A", "b.C")),
        ('["A", "b.C"]', ("A", "b.C")),
        (["A"], ("A",)),
    ],
)
def test_the_parsers_wanted_are_read_from_code_and_command_line(
    value: object, wanted: tuple[str, ...]
) -> None:
    """`-s ROBOTS1994_COMPARE=Protego,my.Parser` passes text."""
    assert PARSERS.read("ROBOTS1994_COMPARE", value) == wanted


def test_a_parser_whose_library_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the built-in would fail at its first file, but with the pip line."""
    monkeypatch.setitem(sys.modules, "robotexclusionrulesparser", None)

    with pytest.raises(MissingExtra, match=r"'scrapy_robots1994\[report\]'"):
        peers(["Rerp"], idle_crawler())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Protegoo", "Protego"),
        ("protego", "Protego"),
        ("PythonRobotparser", "PythonRobotParser"),
        ("my.own.Thing", None),
    ],
)
def test_a_misspelt_parser_is_refused_with_the_likely_one(
    name: str, meant: str | None
) -> None:
    """As with names of settings."""
    with pytest.raises(SettingsError) as raised:
        peers([name], idle_crawler())

    sentence = str(raised.value)
    assert sentence.startswith(f"ROBOTS1994_COMPARE: {name} is not a parser: ")
    assert (f'did you mean "{meant}"?' in sentence) is (meant is not None)
    assert ("write True, False or a list" in sentence) is (meant is None)


def test_the_parser_of_the_built_in_is_named_by_its_own_setting() -> None:
    """Not by ours, which only says `True`."""
    with pytest.raises(SettingsError, match=r"^ROBOTSTXT_PARSER: no\.such is not a"):
        peers(["ROBOTSTXT_PARSER"], idle_crawler({"ROBOTSTXT_PARSER": "no.such"}))


class OfScript(PythonRobotParser):
    """A class as the script that runs would define it."""

    __module__ = "__main__"


def test_a_parser_of_the_script_that_runs_is_refused() -> None:
    """Another process cannot import it."""
    with pytest.raises(SettingsError, match="parser OfScript: another process must"):
        peers([OfScript], idle_crawler())


def test_a_setting_of_the_script_that_runs_does_not_end_the_comparison(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The process of the parsers leaves out what it cannot import."""
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, OfScript.__name__, OfScript, raising=False)
    values = {
        "ROBOTSTXT_PARSER": OfScript,
        "OTHER": OfScript(b"", None),
        "NAME": "kept",
    }
    settings = portable(Settings(values))
    monkeypatch.delattr(main, OfScript.__name__)

    found: list[Any] = []

    def no_peers(_wanted: object, crawler: Any) -> list[Any]:
        found.append(crawler.settings)
        return []

    monkeypatch.setattr("scrapy_robots1994.crawl.features.peers.peers", no_peers)
    make_comparer((), settings, "1994", "literal")

    assert found[0]["NAME"] == "kept"
    # The default would be another parser than the one in use.
    assert found[0]["ROBOTSTXT_PARSER"] == "__main__.OfScript"
    assert found[0]["OTHER"] is None


def test_a_parser_named_twice_is_compared_once() -> None:
    """By its class, by its path and by its short name it is one."""
    path = "scrapy.robotstxt.ProtegoRobotParser"

    found = peers(["Protego", path, "ROBOTSTXT_PARSER"], idle_crawler())

    assert [parser.name for parser in found] == ["ProtegoRobotParser"]


def test_a_file_url_is_a_path(tmp_path: Path) -> None:
    """As in FEEDS; `%(name)s` is filled in before."""
    wanted = f"{tmp_path.as_uri()}/%(name)s.json"

    assert report_path(wanted, Spider("walk")) == tmp_path / "walk.json"


@pytest.mark.parametrize(
    ("name", "origin"),
    [
        ("example.org", "http://example.org"),
        ("example.org.txt", "http://example.org"),
        ("example.org/robots.txt", "http://example.org"),
        ("example.org:8080", "http://example.org:8080"),
        ("robots.txt", "http://localhost"),
        ("notes", "http://localhost"),
    ],
)
def test_a_file_belongs_to_the_host_it_is_named_after(
    tmp_path: Path, name: str, origin: str
) -> None:
    """By its own name or by that of its folder; otherwise a stand-in."""
    path = tmp_path / "files" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    (tmp_path / "files" / ".hidden").write_bytes(b"")

    (capture,) = CompareInputs(
        expand([str(tmp_path)]), Reader("1994", "literal", 512_000)
    )

    assert origin_of(capture) == origin


def shadow(**settings: Any) -> tuple[ShadowComparison, RobotsSettings]:
    """Return what compares a crawl with these settings."""
    crawler = idle_crawler({"ROBOTS1994_COMPARE": ["Protego"], **settings})
    crawler.spider = Spider("walk")
    read = RobotsSettings.from_settings(crawler.settings)
    return ShadowComparison(crawler, read), read


def policy_of(
    status: int,
    settings: RobotsSettings,
    body: bytes = b"User-agent: *\nDisallow: /a\nDisallow: /",
    *,
    cut: bool = False,
    origin: Origin = ORIGIN,
) -> Policy:
    """Return the policy that an answer makes."""
    response = RobotsResponse(status, body, is_truncated=cut)
    reader = settings.new_reader()
    return Policy.from_response(origin, response, reader, 0, settings.freshness)


def test_of_a_truncated_file_all_parsers_read_the_whole_lines() -> None:
    """The truncated line would close the site for the other parser only."""
    watching, settings = shadow()

    watching.compare(policy_of(200, settings, cut=True), f"{ORIGIN}/b", "me")

    report = watching.report()
    assert report.disagreements == 0
    assert report.questions == 1


def test_of_a_truncated_file_the_bytes_that_cannot_be_decoded_stay() -> None:
    """O17: as they were, for the other parsers too."""
    watching, settings = shadow()
    body = b"User-agent: *\nDisallow: /caf\xe9\nDisall"

    assert watching.body_of(policy_of(200, settings, body, cut=True)) == body[:-6]
    assert watching.body_of(policy_of(200, settings, body)) == body


def test_in_a_dry_run_http_and_https_of_one_host_share_the_file_fetched_first() -> None:
    """As in the built-in, for the whole crawl; ours has a policy for each."""
    watching, settings = shadow(ROBOTS1994_DRY_RUN=True)
    secure = Origin("https", "a.test", 443)
    other_port = Origin("https", "a.test", 8443)
    first = policy_of(200, settings, b"User-agent: *\nDisallow: /a\n")
    later = policy_of(200, settings, b"", origin=secure)
    apart = policy_of(200, settings, b"", origin=other_port)

    watching.compare(first, f"{ORIGIN}/a", "me")
    watching.compare(later, f"{secure}/a", "me")
    watching.compare(apart, f"{other_port}/a", "me")
    report = watching.report()

    changes = {site.label: site.change("ProtegoRobotParser") for site in report.sites}
    assert changes == {
        str(ORIGIN): Change.UNCHANGED,
        str(secure): Change.OPENED,
        str(other_port): Change.UNCHANGED,
    }
    assert report.totals.causes_of(*report.parsers) == [Cause.SHARED_HOST]
    (row,) = as_plain(report)["disagreements"]
    assert (row["where"], row["theirs"]) == (str(secure), "forbids")
    assert row["ours"].startswith("allowed")
    assert report.metadata["dry run"] == "yes"


def test_after_a_failure_a_dry_run_compares_with_an_empty_file() -> None:
    """The built-in allows everything at that host then, for the whole crawl."""
    watching, settings = shadow(ROBOTS1994_DRY_RUN=True)
    watching.note_failure(ORIGIN)

    watching.compare(policy_of(200, settings), f"{ORIGIN}/a", "me")

    (site,) = watching.report().sites
    assert site.change("ProtegoRobotParser") is Change.CLOSED


def test_without_the_body_nothing_is_compared() -> None:
    """As of a 404 that an earlier crawl stored: counted, not guessed."""
    watching, settings = shadow()

    watching.compare(policy_of(404, settings), f"{ORIGIN}/b", b"me")

    report = watching.report()
    assert report.totals.skipped == 1
    assert report.questions == 0


def test_of_answers_whose_status_decides_thousands_of_bodies_are_stored() -> None:
    """Most are short error pages, and a dry run must not forget what the built-in read."""
    watching, settings = shadow(ROBOTS1994_DRY_RUN=True)
    page = b"<html>no access" * 20
    for number in range(5_000):
        watching.store_body(Origin("http", f"h{number}.test", 80), page)
    watching.store_body(Origin("http", "large.test", 80), os.urandom(100_000))

    first = policy_of(403, settings, origin=Origin("http", "h0.test", 80))
    assert watching.body_of(first) == page


def test_bodies_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that alone is too large takes the place of all others."""
    monkeypatch.setattr(comparison, "MAX_BODY_BYTES", 20_000)
    watching, settings = shadow()
    for number in range(50):
        watching.store_body(Origin("http", f"h{number}.test", 80), os.urandom(1_000))
    assert len(watching._bodies) == 13

    large = os.urandom(100_000)
    watching.store_body(ORIGIN, large)

    assert watching.body_of(policy_of(403, settings)) == large
    assert len(watching._bodies) == 1


def test_files_that_wait_for_the_parsers_are_bounded_in_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each origin has another file; what is skipped is counted, the rest is compared."""
    monkeypatch.setattr(comparison, "MAX_QUEUED_BYTES", 100_000)
    watching, settings = shadow()
    monkeypatch.setattr(watching._thread, "start", lambda: None)
    policies = []
    for number in range(50):
        body = b"User-agent: *\nDisallow: /%d\n" % number + b"#" * 10_000
        origin = Origin("http", f"h{number}.test", 80)
        policies.append(policy_of(200, settings, body, origin=origin))

    for policy in policies:
        for path in ("/1", "/2"):
            watching.compare(policy, f"{policy.origin}{path}", "me")
    assert watching._queue.qsize() == 2 * 10

    monkeypatch.undo()
    watching._thread.start()
    report = watching.report()
    assert report.totals.skipped == 2 * 40
    assert report.questions == 2 * 10
    assert watching._queued_bytes == watching._compared_bytes


def test_memory_is_bounded_however_many_disagree() -> None:
    """Counts go on, samples do not."""
    watching, settings = shadow()
    policy = policy_of(200, settings, b"User-agent: *\nDisallow: /*\n")

    for number in range(500):
        watching.compare(policy, f"{ORIGIN}/{number}", "me")

    report = watching.report()
    (site,) = report.sites
    assert site.count("ProtegoRobotParser", Direction.STRICTER) == 500
    assert len(site.examples["ProtegoRobotParser", Direction.STRICTER]) == MAX_EXAMPLES
