"""The process of the compared parsers: what it needs, and its limits."""

from __future__ import annotations

import resource
import sys
from typing import Any

import pytest

from scrapy_robots1994 import MissingExtra
from scrapy_robots1994.crawl.features.peers import peers
from tests.support import hooks
from tests.support.crawl import crawl
from tests.support.crawler import idle_crawler
from tests.support.site import Site

PROTEGO = "robots1994/compare/ProtegoRobotParser"


def test_missing_library_of_a_parser_is_an_error_with_the_pip_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error is raised at the start, not at the first file as in the built-in."""
    monkeypatch.setitem(sys.modules, "robotexclusionrulesparser", None)

    with pytest.raises(MissingExtra, match=r"'scrapy_robots1994\[report\]'"):
        peers(["Rerp"], idle_crawler())


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

    hooks.take_descriptors(crawler, left=6)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    compare = peers.GuardedComparer.compare

    def compare_and_restore(guard: Any, task: Any) -> Any:
        try:
            return compare(guard, task)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    peers.GuardedComparer.compare = compare_and_restore  # type: ignore[assignment, method-assign]
