"""Which requests are not checked, and why."""

import re
from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any

from scrapy_robots1994.origin import Origin, target_of

OWN_REQUEST = "_robots1994_download"
"""Meta key of every robots.txt request and of no other; its value is `DownloadState`."""

OPT_OUT = "dont_obey_robotstxt"
"""Scrapy's meta key of a request that is not checked, whatever its URL is."""

_NOT_IN_SCHEME = re.compile(r"[^a-z0-9+.-]")


class Exemption(Enum):
    """Why a request is not checked; the value is a phrase for a message."""

    OPTED_OUT = "its meta has dont_obey_robotstxt"
    LISTED = "ROBOTS1994_EXEMPT names its host or origin"
    OWN_REQUEST = "it is our own request for a robots.txt"
    # Those of WebSockets, which begin as HTTP, have that of http or https.
    NOT_HTTP = "only http and https URLs have a robots.txt"
    # Such a request fails: libcurl and browsers send "http:///host/path" to a host all the same.
    NO_HOST = (
        "the URL names no host, or not the same one to every client, "
        "so there is no robots.txt that could be fetched"
    )
    ROBOTS_TXT = "robots.txt itself may always be retrieved"


def exemption_of(
    url: str,
    origin: Origin | None,
    meta: Mapping[str, Any],
    exempt: Collection[str | Origin] = (),
) -> Exemption | None:
    """Return why a request for *url* of *origin* is not checked; `None` for one that is.

    *exempt* are the hosts and origins of `ROBOTS1994_EXEMPT`.
    """
    # First: our own request must never wait for itself, wherever it is redirected, and
    # also where another middleware takes its opt-out away.
    if OWN_REQUEST in meta:
        return Exemption.OWN_REQUEST
    if meta.get(OPT_OUT):
        return Exemption.OPTED_OUT
    if origin is None:
        # Clients remove characters that no scheme has, such as a tab.
        scheme = _NOT_IN_SCHEME.sub("", url.partition(":")[0].lower())
        is_http = scheme in {"http", "https", "ws", "wss"} and ":" in url
        return Exemption.NO_HOST if is_http else Exemption.NOT_HTTP
    if exempt and (origin.host in exempt or origin in exempt):
        return Exemption.LISTED
    # Ours O22: nothing waits for a file in order to fetch that file. The first test is for
    # speed: each request comes here.
    is_file = "/robots.txt" in url and target_of(url) == "/robots.txt"
    return Exemption.ROBOTS_TXT if is_file else None
