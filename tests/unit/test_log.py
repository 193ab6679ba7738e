"""Users can filter log records by their attributes, and the records contain no password."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from scrapy_robots1994.crawl.features.pages import DroppedByPage
from scrapy_robots1994.crawl.log import OriginLog, log_lines
from scrapy_robots1994.crawl.policy_log import PolicyLog
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.parser.said import Said
from tests.support.crawler import idle_crawler
from tests.unit.samples import NOW, SITE
from tests.unit.test_policy import FILE, policy


def test_records_have_their_spider_and_origin(caplog: pytest.LogCaptureFixture) -> None:
    crawler: Any = idle_crawler()
    crawler.spider = object()
    OriginLog(crawler).log(logging.WARNING, "%s: one line", SITE)
    log_lines(crawler, logging.WARNING, "two\nlines")

    found = [(it.spider, getattr(it, "origin", None)) for it in caplog.records]  # type: ignore[attr-defined]
    assert found == [(crawler.spider, SITE), (crawler.spider, None)]


def test_dropped_item_is_named_without_a_password() -> None:
    said = Said("noindex", "meta tag robots")

    assert "secret" not in str(DroppedByPage(said, "http://me:secret@h.test/"))


def test_moment_since_the_fetch_is_not_taken_from_the_lifetime(
    caplog: pytest.LogCaptureFixture,
) -> None:
    crawler: Any = idle_crawler()
    log = PolicyLog(crawler, RobotsSettings.from_settings(crawler.settings))
    with caplog.at_level(logging.DEBUG):
        log.used(policy(FILE), FILE, None, NOW + 1)
        log.used(policy(FILE), FILE._replace(source="store"), None, NOW + 1)

    assert ["86399 s" in it.getMessage() for it in caplog.records] == [False, True]
