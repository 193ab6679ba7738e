"""Requests that are not checked: an example of each reason, for every test that needs one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_robots1994.crawl.requests import Exemption

if TYPE_CHECKING:
    from collections.abc import Mapping


class Exempt(NamedTuple):
    """A request that is not checked.

    `{port}` in the *url* is that of a site which answers for any name under `test`, too,
    and whose robots.txt disallows everything. Tests expect that other requests to
    127.0.0.1 are refused, so an example of an exempt host is another, such as `a.test`.
    The *settings* are text, as `-s` passes them. Scrapy itself refuses a request that
    is not *valid*.
    """

    url: str
    meta: Mapping[str, Any] = {}
    settings: Mapping[str, str] = {}
    valid: bool = True


EXAMPLES = {
    Exemption.OPTED_OUT: Exempt(
        "http://127.0.0.1:{port}/exempt", {"dont_obey_robotstxt": True}
    ),
    Exemption.NOT_HTTP: Exempt(Path(__file__).as_uri()),
    Exemption.NO_HOST: Exempt("http:///exempt", valid=False),
    Exemption.ROBOTS_TXT: Exempt("http://127.0.0.1:{port}/robots.txt"),
}
"""Of each reason but `OWN_REQUEST`, which no request of a spider has."""
