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
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from scrapy_robots1994.robotstxt import Reader
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from pathlib import Path

ORIGIN = Origin("http", "a.test", 80)


@pytest.mark.parametrize(
    ("value", "expected"),
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
def test_parsers_are_read_from_code_and_command_line(
    value: object, expected: tuple[str, ...]
) -> None:
    """`-s ROBOTS1994_COMPARE=Protego,my.Parser` passes text."""
    assert PARSERS.read("ROBOTS1994_COMPARE", value) == expected


def test_missing_library_of_a_parser_is_an_error_with_the_pip_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error is raised at the start, not at the first file as in the built-in."""
    monkeypatch.setitem(sys.modules, "robotexclusionrulesparser", None)

    with pytest.raises(MissingExtra, match=r"'scrapy_robots1994\[report\]'"):
        peers(["Rerp"], idle_crawler())


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("Protegoo", "Protego"),
        ("protego", "Protego"),
        ("PythonRobotparser", "PythonRobotParser"),
        ("my.own.Thing", None),
    ],
)
def test_misspelt_parser_is_an_error_with_a_suggestion(
    name: str, suggestion: str | None
) -> None:
    """Without a similar name, the error says what to write."""
    with pytest.raises(SettingsError) as raised:
        peers([name], idle_crawler())

    message = str(raised.value)
    assert message.startswith(f"ROBOTS1994_COMPARE: {name} is not a parser: ")
    assert (f'did you mean "{suggestion}"?' in message) is (suggestion is not None)
    assert ("write True, False or a list" in message) is (suggestion is None)


def test_error_about_the_built_in_parser_names_its_setting() -> None:
    """Our setting is only `True`."""
    with pytest.raises(SettingsError, match=r"^ROBOTSTXT_PARSER: no\.such is not a"):
        peers(["ROBOTSTXT_PARSER"], idle_crawler({"ROBOTSTXT_PARSER": "no.such"}))


class MainParser(PythonRobotParser):
    """A parser class that is defined in the main script."""

    __module__ = "__main__"


def test_parser_of_the_main_script_is_an_error() -> None:
    """Another process cannot import it."""
    with pytest.raises(SettingsError, match="parser MainParser: another process must"):
        peers([MainParser], idle_crawler())


def test_settings_with_classes_of_the_main_script_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The process of the parsers cannot import them."""
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, MainParser.__name__, MainParser, raising=False)
    values = {
        "ROBOTSTXT_PARSER": MainParser,
        "OTHER": MainParser(b"", None),
        "NAME": "kept",
    }
    settings = portable(Settings(values))
    monkeypatch.delattr(main, MainParser.__name__)

    found: list[Any] = []

    def no_peers(_wanted: object, crawler: Any) -> list[Any]:
        found.append(crawler.settings)
        return []

    monkeypatch.setattr("scrapy_robots1994.crawl.features.peers.peers", no_peers)
    make_comparer((), settings, "1994", "literal")

    assert found[0]["NAME"] == "kept"
    # The default would be another parser than the one in use.
    assert found[0]["ROBOTSTXT_PARSER"] == "__main__.MainParser"
    assert found[0]["OTHER"] is None


def test_parser_named_twice_is_compared_once() -> None:
    """Its path, its short name and ROBOTSTXT_PARSER are the same parser."""
    path = "scrapy.robotstxt.ProtegoRobotParser"

    found = peers(["Protego", path, "ROBOTSTXT_PARSER"], idle_crawler())

    assert [parser.name for parser in found] == ["ProtegoRobotParser"]


def test_report_path_may_be_a_file_url(tmp_path: Path) -> None:
    """As in FEEDS, `%(name)s` is replaced."""
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
def test_origin_of_a_file_comes_from_its_name(
    tmp_path: Path, name: str, origin: str
) -> None:
    """The host is the name of the file or of its folder; otherwise it is localhost."""
    path = tmp_path / "files" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    (tmp_path / "files" / ".hidden").write_bytes(b"")

    (capture,) = CompareInputs(
        expand([str(tmp_path)]), Reader("1994", "literal", 512_000), FreshnessSettings()
    )

    assert origin_of(capture) == origin


def shadow(**settings: Any) -> tuple[ShadowComparison, RobotsSettings]:
    """Return a shadow comparison with these settings, and the settings."""
    crawler = idle_crawler({"ROBOTS1994_COMPARE": ["Protego"], **settings})
    crawler.spider = Spider("walk")
    read = RobotsSettings.from_settings(crawler.settings)
    return ShadowComparison(crawler, read), read


def policy_of(
    status: int,
    settings: RobotsSettings,
    body: bytes = b"User-agent: *\nDisallow: /a\nDisallow: /",
    *,
    is_truncated: bool = False,
    origin: Origin = ORIGIN,
) -> Policy:
    """Return the policy built from a response."""
    response = RobotsResponse(status, body, is_truncated=is_truncated)
    reader = settings.new_reader()
    return Policy.from_response(origin, response, reader, 0, settings.freshness)


def test_all_parsers_read_only_the_complete_lines_of_a_truncated_file() -> None:
    """The truncated line would disallow everything for the other parser only."""
    shadow_comparison, settings = shadow()

    shadow_comparison.compare(
        policy_of(200, settings, is_truncated=True), f"{ORIGIN}/b", "me"
    )

    report = shadow_comparison.report()
    assert report.disagreements == 0
    assert report.questions == 1


def test_undecodable_bytes_of_a_truncated_file_are_preserved() -> None:
    """O17: the other parsers get them unchanged."""
    shadow_comparison, settings = shadow()
    body = b"User-agent: *\nDisallow: /caf\xe9\nDisall"

    assert (
        shadow_comparison.body_of(policy_of(200, settings, body, is_truncated=True))
        == body[:-6]
    )
    assert shadow_comparison.body_of(policy_of(200, settings, body)) == body


def test_dry_run_http_and_https_of_a_host_share_the_first_file() -> None:
    """The built-in shares it for the whole crawl; ours has a policy for each."""
    shadow_comparison, settings = shadow(ROBOTS1994_DRY_RUN=True)
    secure = Origin("https", "a.test", 443)
    other_port = Origin("https", "a.test", 8443)
    first = policy_of(200, settings, b"User-agent: *\nDisallow: /a\n")
    later = policy_of(200, settings, b"", origin=secure)
    apart = policy_of(200, settings, b"", origin=other_port)

    shadow_comparison.compare(first, f"{ORIGIN}/a", "me")
    shadow_comparison.compare(later, f"{secure}/a", "me")
    shadow_comparison.compare(apart, f"{other_port}/a", "me")
    report = shadow_comparison.report()

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


def test_dry_run_compares_with_an_empty_file_after_a_failure() -> None:
    """After a failed fetch the built-in allows everything of the host."""
    shadow_comparison, settings = shadow(ROBOTS1994_DRY_RUN=True)
    shadow_comparison.note_failure(ORIGIN)

    shadow_comparison.compare(policy_of(200, settings), f"{ORIGIN}/a", "me")

    (site,) = shadow_comparison.report().sites
    assert site.change("ProtegoRobotParser") is Change.CLOSED


def test_decision_without_a_body_is_skipped() -> None:
    """A 404 that an earlier crawl stored has no body, so it counts as skipped."""
    shadow_comparison, settings = shadow()

    shadow_comparison.compare(policy_of(404, settings), f"{ORIGIN}/b", b"me")

    report = shadow_comparison.report()
    assert report.totals.skipped == 1
    assert report.questions == 0


def test_thousands_of_error_bodies_are_stored() -> None:
    """Most are short, and a dry run must remember what the built-in would have read."""
    shadow_comparison, settings = shadow(ROBOTS1994_DRY_RUN=True)
    page = b"<html>no access" * 20
    for number in range(5_000):
        shadow_comparison.store_body(Origin("http", f"h{number}.test", 80), page)
    shadow_comparison.store_body(Origin("http", "large.test", 80), os.urandom(100_000))

    first = policy_of(403, settings, origin=Origin("http", "h0.test", 80))
    assert shadow_comparison.body_of(first) == page


def test_bodies_are_limited_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that alone exceeds the limit replaces all others."""
    monkeypatch.setattr(comparison, "MAX_BODY_BYTES", 20_000)
    shadow_comparison, settings = shadow()
    for number in range(50):
        shadow_comparison.store_body(
            Origin("http", f"h{number}.test", 80), os.urandom(1_000)
        )
    assert len(shadow_comparison._bodies) == 13

    large = os.urandom(100_000)
    shadow_comparison.store_body(ORIGIN, large)

    assert shadow_comparison.body_of(policy_of(403, settings)) == large
    assert len(shadow_comparison._bodies) == 1


def test_queued_files_are_limited_in_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each origin has another file; decisions over the limit count as skipped."""
    monkeypatch.setattr(comparison, "MAX_QUEUED_BYTES", 100_000)
    shadow_comparison, settings = shadow()
    monkeypatch.setattr(shadow_comparison._thread, "start", lambda: None)
    policies = []
    for number in range(50):
        body = b"User-agent: *\nDisallow: /%d\n" % number + b"#" * 10_000
        origin = Origin("http", f"h{number}.test", 80)
        policies.append(policy_of(200, settings, body, origin=origin))

    for policy in policies:
        for path in ("/1", "/2"):
            shadow_comparison.compare(policy, f"{policy.origin}{path}", "me")
    assert shadow_comparison._queue.qsize() == 2 * 10

    monkeypatch.undo()
    shadow_comparison._thread.start()
    report = shadow_comparison.report()
    assert report.totals.skipped == 2 * 40
    assert report.questions == 2 * 10
    assert shadow_comparison._queued_bytes == shadow_comparison._compared_bytes


def test_number_of_stored_examples_is_limited() -> None:
    """All disagreements are counted."""
    shadow_comparison, settings = shadow()
    policy = policy_of(200, settings, b"User-agent: *\nDisallow: /*\n")

    for number in range(500):
        shadow_comparison.compare(policy, f"{ORIGIN}/{number}", "me")

    report = shadow_comparison.report()
    (site,) = report.sites
    assert site.count("ProtegoRobotParser", Direction.STRICTER) == 500
    assert len(site.examples["ProtegoRobotParser", Direction.STRICTER]) == MAX_EXAMPLES
