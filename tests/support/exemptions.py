"""Requests that are not checked: an example of each reason, for every test that needs one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Exempt(NamedTuple):
    """A request that is not checked.

    `{port}` in the *url* is the port of a site that also answers for any name under `test`, and
    whose robots.txt disallows everything. Tests expect that other requests to 127.0.0.1 are
    refused, so an example of an exempt host has another name, such as `a.test`. The *settings*
    are text, as `-s` passes them. Scrapy itself rejects a request that is not *valid*.
    """

    url: str
    meta: Mapping[str, Any] = {}
    settings: Mapping[str, str] = {}
    valid: bool = True


EXAMPLES = {
    "its meta has dont_obey_robotstxt": Exempt(
        "http://127.0.0.1:{port}/exempt", {"dont_obey_robotstxt": True}
    ),
    "ROBOTS1994_EXEMPT names its host or origin": Exempt(
        "http://exempt.test:{port}/exempt",
        settings={"ROBOTS1994_EXEMPT": "api.test,exempt.test"},
    ),
    "only http and https URLs have a robots.txt": Exempt(Path(__file__).as_uri()),
    "the URL names no host": Exempt("http:///exempt", valid=False),
    "robots.txt itself may always be retrieved": Exempt(
        "http://127.0.0.1:{port}/robots.txt"
    ),
}
"""An example for each reason, by the words that a user reads. The one reason without an
example applies to no request of a spider.
"""
