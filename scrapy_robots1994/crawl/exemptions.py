"""Whether a request is checked against robots.txt, and if not, why."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.crawl.concurrency import META_KEY
from scrapy_robots1994.origin import Origin, target_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ROBOTS_TXT = "/robots.txt"


class Exemption(Enum):
    """Why a request is not checked; the value is a phrase for a message."""

    OPTED_OUT = "its meta has dont_obey_robotstxt"
    OWN_REQUEST = "it is our own request for a robots.txt"
    NOT_HTTP = "only http and https URLs with a host have a robots.txt"
    ROBOTS_TXT = "robots.txt itself may always be retrieved"


def opts_out(meta: Mapping[str, Any]) -> bool:
    """Return whether a request with *meta* is not checked, whatever its URL is."""
    return bool(meta.get("dont_obey_robotstxt"))


def exemption_of(url: str, meta: Mapping[str, Any]) -> Exemption | None:
    """Return why a request is not checked; `None` for one that is."""
    # First: our own request must never wait for itself, wherever it is redirected.
    if META_KEY in meta:
        return Exemption.OWN_REQUEST
    if opts_out(meta):
        return Exemption.OPTED_OUT
    if Origin.of(url) is None:
        return Exemption.NOT_HTTP
    # Ours O22: nothing waits for a file in order to fetch that file.
    if url.endswith(ROBOTS_TXT) and target_of(url) == ROBOTS_TXT:
        return Exemption.ROBOTS_TXT
    return None
