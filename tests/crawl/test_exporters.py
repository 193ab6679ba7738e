"""Scrapy's exporters can write the values that we put into meta and exceptions."""

from __future__ import annotations

import csv
import json
import marshal
import pickle
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.support.crawl import CrawlResult, Middleware, crawl
from tests.support.replies import html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

FORMATS = ("json", "jsonlines", "csv", "xml", "pickle", "pprint")

ROBOTS = (
    b"User-agent: *\nUser-agent: caf\xe9\nDisallow: /no\nDisallow: /caf\xe9\x01\n"
    b"Content-Signal: ai-train=no, use=caf\xe9\x01, ai-input=\xe9\x01\n"
    b"License: http://a.test/\xe9\x02\n"
)
"""The second rule and the usage preferences contain control characters and invalid UTF-8."""

REFUSED = ("/no", "/caf%E9%01", "/x/../no")

BEYOND = {"ROBOTS1994_PAGES": ["nofollow"], "ROBOTS1994_USAGE": "report"}

FIELDS = (
    "what",
    "robots1994",
    "allowed",
    "reason",
    "line",
    "rule",
    "agents",
    "verdict",
)


def exported(
    site: Site, folder: Path, middleware: Middleware, *, nested: bool, **settings: Any
) -> CrawlResult:
    site.robots(ROBOTS)
    site.answer("/", html("<meta name=robots content='noindex, nofollow'>"))
    feeds = {
        str(folder / f"{middleware}.{name}"): {"format": name, "fields": FIELDS}
        for name in FORMATS
    }
    return crawl(
        [site.url(path) for path in (*REFUSED, "/")],
        spider="Exporting",
        middleware=middleware,
        settings={
            "FEEDS": feeds,
            "FEED_EXPORTERS": {"pprint": "scrapy.exporters.PprintItemExporter"},
            **settings,
        },
        spider_args={"nested": nested},
    )


def read_feeds(folder: Path, name: Middleware) -> dict[str, list[Any]]:
    pickled = []
    with (folder / f"{name}.pickle").open("rb") as feed:
        while feed.peek():
            pickled.append(pickle.load(feed))  # noqa: S301 - our own data
    texts = {it: (folder / f"{name}.{it}").read_text("utf-8") for it in FORMATS[:4]}
    return {
        "json": json.loads(texts["json"]),
        "jsonlines": [json.loads(line) for line in texts["jsonlines"].splitlines()],
        "csv": list(csv.DictReader(texts["csv"].splitlines())),
        "xml": list(ET.fromstring(texts["xml"])),  # noqa: S314 - our own data
        "pickle": pickled,
    }


@pytest.mark.parametrize("encoding", [None, "utf-8"])
@pytest.mark.parametrize("nested", [True, False])
def test_item_of_an_errback_is_exported_as_under_the_built_in(
    encoding: str | None,
    nested: bool,
    site: Site,
    tmp_path: Path,
) -> None:
    """If *nested*, our objects are fields of the items; otherwise, they are the items."""
    results = {}
    names: tuple[Middleware, ...] = ("builtin", "ours")
    for name in names:
        results[name] = result = exported(
            site,
            tmp_path,
            name,
            nested=nested,
            FEED_EXPORT_ENCODING=encoding,
            **BEYOND if name == "ours" else {},
        )
        assert not result.unclean
        for rows in read_feeds(tmp_path, name).values():
            assert len(rows) == len(result.items)
    # Each page yields an item with its meta. With our middleware, each refused page also yields the
    # verdict and its parts.
    assert len(results["builtin"].items) == 4
    assert len(results["ours"].items) == 4 + 3 * (8 if nested else 5)
    found = [it for it in read_feeds(tmp_path, "ours")["json"] if "reason" in it]
    decided = {(it["allowed"], it["reason"], it["line"], it["rule"]) for it in found}
    # Bytes that a feed cannot contain are percent-encoded.
    rules = {(False, "rule", 3, "/no"), (False, "rule", 4, "/caf%E9%01")}
    assert decided == (set() if nested else rules)


@pytest.mark.parametrize("path", [*REFUSED, "/x/../no\ud800", "/", "/robots.txt"])
def test_plain_verdict_can_be_marshalled(path: str) -> None:
    """`marshal` rejects instances of our classes and of subclasses of `str`."""
    verdict = RobotsTxt.parse(ROBOTS).verdict(f"http://a.test{path}", "rover")

    plain = verdict.as_dict()

    assert marshal.loads(marshal.dumps(plain)) == plain  # noqa: S302 - our own data
    assert json.loads(json.dumps(plain, ensure_ascii=False).encode()) == plain
    assert plain["explanation"] == str(verdict)
    if verdict.record is not None:
        names = ["*", "caf%E9"]
        assert plain["record"] == {"names": names, "first_line": 1}
        assert list(verdict.record.names) == names
