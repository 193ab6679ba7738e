"""Requests that are not checked, one for each reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Exempt(NamedTuple):
    """In *url*, `{port}` is the port of the site. The values in *settings* are strings, as on the
    command line. If not *valid*, Scrapy itself rejects the URL.
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
