"""What the files of evidence say, for the crawl that writes and the command that reads."""

from base64 import b32encode
from datetime import datetime, timezone
from hashlib import new
from typing import Any

from scrapy_robots1994.origin import head_of
from scrapy_robots1994.parser.verdict import Verdict

ORIGIN = "Robots1994-Origin"
"""The header of each record with the origin whose robots.txt was requested: another one
than that of its URL behind a redirect."""

STATUS = "Robots1994-Status"
"""The header of a policy that was not fetched: the status of its answer, 0 without one."""

FETCHED = "Robots1994-Fetched"
"""The header of a policy that was not fetched: when it was, then."""

SOURCE = "Robots1994-Source"
"""The header of a policy that was not fetched: where it comes from."""

VIA_PROXY = "Robots1994-Via-Proxy"
"""The header of an answer that came through a proxy: the proxy may have sent it itself."""

CLIENT = "client-"
"""The field of a warcinfo with the client for a scheme, which follows: `client-https`."""

MAX_TEXT = 4_000
"""Characters of a rule in the journal, and of a header; more are cut off."""


def shown_url(url: str) -> str:
    """Return *url* without user name, password and fragment."""
    head = head_of(url)
    scheme, slashes, authority = head.partition("//")
    behind = url[len(head) :].partition("#")[0]
    return f"{scheme}{slashes}{authority.rpartition('@')[2]}{behind}"


def decision_of(verdict: Verdict) -> dict[str, Any]:
    """Return what a line of the journal says by *verdict*: verification makes it again."""
    return {
        "decision": "allowed" if verdict.allowed else "refused",
        "reason": verdict.reason.value,
        "line": verdict.line,
        "rule": verdict.rule and verdict.rule[:MAX_TEXT],
    }


def digest_of(data: bytes, algorithm: str = "sha256") -> str:
    """Return the digest of *data* as WARC files have it; `ValueError` if unknown."""
    digest = new(algorithm, data).digest()
    return f"{algorithm}:{b32encode(digest).decode()}"


def rfc3339(at: datetime | float) -> str:
    """Return a time, or seconds since the epoch, as a date of RFC 3339 in UTC."""
    if isinstance(at, datetime):
        at = at.astimezone(timezone.utc)
    else:
        at = datetime.fromtimestamp(at, tz=timezone.utc)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
