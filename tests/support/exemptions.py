"""Requests that are not checked, one for each reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Exempt(NamedTuple):
    """A request that is not checked.

    In *url*, `{port}` stands for the port of a scripted site, whose robots.txt disallows
    everything. The site answers for any host name under `test`. An exempt host has another name
    than 127.0.0.1, to which other requests must be refused. The values in *settings* are text, as
    on the command line. If *valid* is false, Scrapy itself rejects the request.
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
"""An example of each reason, by the text of the reason."""
