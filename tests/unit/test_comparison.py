"""A parser in ROBOTS1994_COMPARE whose library is missing."""

from __future__ import annotations

import sys

import pytest

from scrapy_robots1994 import MissingExtra
from scrapy_robots1994.crawl.features.parsers import other_parsers
from tests.support.crawler import idle_crawler


def test_missing_library_of_a_parser_is_an_error_with_the_pip_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "robotexclusionrulesparser", None)

    with pytest.raises(MissingExtra, match=r"'scrapy_robots1994\[report\]'"):
        other_parsers(["Rerp"], idle_crawler())
