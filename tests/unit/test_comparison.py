"""The process of the compared parsers: what it is given, and its limits."""

from __future__ import annotations

import resource
import sys
from typing import Any

import pytest
from scrapy import Spider
from scrapy.robotstxt import PythonRobotParser
from scrapy.settings import Settings

from scrapy_robots1994 import MissingExtra, SettingsError
from scrapy_robots1994.crawl.features import comparison
from scrapy_robots1994.crawl.features.comparison import ShadowComparison
from scrapy_robots1994.crawl.features.peers import make_comparer, peers, portable
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import Policy, RobotsResponse
from tests.crawl import few_descriptors
from tests.support.crawl import crawl
from tests.support.crawler import idle_crawler
from tests.support.site import Site

ORIGIN = Origin("http", "a.test", 80)
PROTEGO = "robots1994/compare/ProtegoRobotParser"


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


def test_decision_without_a_body_is_skipped() -> None:
    """A 404 that an earlier crawl stored has no body, so it counts as skipped."""
    shadow_comparison, settings = shadow()

    shadow_comparison.compare(policy_of(404, settings), f"{ORIGIN}/b", b"me")

    report = shadow_comparison.report()
    assert report.totals.skipped == 1
    assert report.questions == 0


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


def test_parser_that_hangs_does_not_stop_the_crawl() -> None:
    """It counts as raised and is logged once; the other parser is compared."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a*\n# hang\n")
        result = crawl(
            [site.url(f"/{number}") for number in range(5)],
            settings={
                "ROBOTS1994_COMPARE": [
                    "tests.commands.parsers.HangingParser",
                    "tests.commands.parsers.OpenParser",
                ],
            },
            hook="tests.unit.test_comparison:shorten_the_deadline",
        )

    assert len(result.fetched) == 5
    assert result.stats["robots1994/compare/HangingParser/raised"] == 5
    assert result.stats["robots1994/compare/OpenParser/agree"] == 5
    assert result.log.count("did not answer about robots.txt") == 1


def test_questions_left_at_the_close_are_counted_as_skipped() -> None:
    """They waited for a parser that computes, so they do not count as raised."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a*\n# hang\n")
        pages = [site.url("/", host=f"h{number}.test") for number in range(10)]
        result = crawl(
            pages,
            settings={"ROBOTS1994_COMPARE": ["tests.commands.parsers.HangingParser"]},
            hook="tests.unit.test_comparison:shorten_the_close",
        )

    assert len(result.fetched) == 10
    assert result.stats["robots1994/compare/skipped"] == 10
    assert "robots1994/compare/HangingParser/raised" not in result.stats
    assert "did not answer" not in result.log
    assert result.log.count("s at the close were not enough") == 1


def shorten_the_close(_crawler: Any) -> None:
    """Let the close wait half a second for the parsers, which may take a minute."""
    from scrapy_robots1994.crawl.features import comparison  # noqa: PLC0415 - of the crawling process

    comparison.PARSER_SECONDS, comparison.CLOSE_SECONDS = 60.0, 0.5


def test_questions_are_skipped_while_the_process_cannot_start() -> None:
    """First no descriptor is left for its pipes; later questions are compared."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /no\n")
        result = crawl(
            [site.url(path) for path in ("/1", "/2", "/no", "/3")],
            settings={"ROBOTS1994_COMPARE": True, "CONCURRENT_REQUESTS": 1},
            hook="tests.unit.test_comparison:take_descriptors_from_the_first_questions",
        )

    assert len(result.fetched) == 3
    skipped = result.stats["robots1994/compare/skipped"]
    assert skipped >= 1
    assert result.stats.get(f"{PROTEGO}/agree", 0) + skipped == 4
    assert "Traceback" not in result.log
    assert result.log.count("Not every decision was compared") == 1
    assert "Too many open files" in result.log


def take_descriptors_from_the_first_questions(crawler: Any) -> None:
    """Leave enough descriptors for a connection, but not for the pipes of a process."""
    from scrapy_robots1994.crawl.features import peers  # noqa: PLC0415 - of the crawling process

    few_descriptors.take(crawler, left=6)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    compare = peers.GuardedComparer.compare

    def compare_and_restore(guard: Any, task: Any) -> Any:
        try:
            return compare(guard, task)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    peers.GuardedComparer.compare = compare_and_restore  # type: ignore[assignment, method-assign]


def shorten_the_deadline(_crawler: Any) -> None:
    """Let the parsers take one second at most."""
    from scrapy_robots1994.crawl.features import comparison  # noqa: PLC0415 - of the crawling process

    comparison.PARSER_SECONDS = 1.0
