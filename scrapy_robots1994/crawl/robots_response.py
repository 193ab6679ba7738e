"""The response to a request for a robots.txt as an answer: what its headers say of freshness,
of the next request, and of another place (RFC 9110, RFC 9111).
"""

import re
import time
from contextlib import suppress
from datetime import timezone
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

from scrapy.http import Response
from w3lib.url import safe_url_string

from scrapy_robots1994.policy.fetch_result import RobotsResponse

# What every HTTP client sends, and every store returns; a header may have megabytes.
_VALIDATOR = re.compile(rb"[\t\x20-\x7e\xa0-\xff]{1,1000}")
# As Scrapy's RedirectMiddleware has them.
REDIRECTS = frozenset({301, 302, 303, 307, 308})


def answer_of(
    response: Response, body: bytes, *, is_truncated: bool, final_url: str | None
) -> RobotsResponse:
    """Return *response* as the answer of the origin, with its unpacked *body*."""
    now = time.time()
    return RobotsResponse(
        status=response.status,
        body=body,
        is_truncated=is_truncated,
        freshness_lifetime=freshness_lifetime(response, now),
        retry_after=retry_after(response, now),
        etag=_validator(response, "ETag"),
        last_modified=_validator(response, "Last-Modified"),
        final_url=final_url,
    )


def date_of(response: Response) -> float | None:
    """Return the `Date` of *response* in seconds since the epoch, if it has one."""
    return _epoch(response.headers.get("Date"))


def is_private(response: Response) -> bool:
    """Return whether *response* says `no-store`."""
    return b"no-store" in _cache_controls(response.headers.getlist("Cache-Control"))


def freshness_lifetime(response: Response, now: float) -> float | None:
    """Return the seconds of freshness that *response* promises; `None` for no promise.

    Its lifetime (RFC 9111, 4.2.1) less the Age it has come to in caches on its way.
    `no-store` and `no-cache` promise none at all: 0. *now*, in seconds since the
    epoch, stands for a Date that the server did not send.
    """
    headers = response.headers
    controls = _cache_controls(headers.getlist("Cache-Control"))
    # Ours R1: the lower bound MIN_TTL still applies to it.
    if b"no-store" in controls or b"no-cache" in controls:
        return 0.0
    if b"max-age" in controls:
        # An unreadable max-age is stale at once (RFC 9111, 4.2.1).
        lifetime = _digits(controls[b"max-age"]) or 0.0
    elif "Expires" in headers:
        # An invalid date, especially 0, lies in the past (RFC 9111, 5.3).
        until = _epoch(headers["Expires"]) or 0.0
        lifetime = until - _date(response, now)
    else:
        return None
    # An unreadable Age is as good as none (RFC 9111, 5.1).
    return max(lifetime - (_digits(headers.get("Age")) or 0.0), 0.0)


def retry_after(response: Response, now: float) -> float | None:
    """Return Retry-After in seconds, from a number or a date, or `None`.

    *now* stands for a Date that the server did not send.
    """
    value = response.headers.get("Retry-After") or b""
    # RFC 9110, 10.2.3 allows both forms.
    seconds = _digits(value)
    if seconds is not None or not value:
        return seconds
    at = _epoch(value)
    # By the clock of the server, which may not be ours.
    return None if at is None else max(at - _date(response, now), 0.0)


def _date(response: Response, now: float) -> float:
    """Return the time of *response* by its server's clock, or *now* if it has none."""
    date = _epoch(response.headers.get("Date"))
    return now if date is None else date


def _cache_controls(lines: list[bytes]) -> dict[bytes, bytes]:
    """Return the directives of Cache-Control in lower case, with their values."""
    # Several header lines are one list (RFC 9110, 5.3).
    parts = (part.partition(b"=") for part in b",".join(lines).split(b","))
    return {
        name.strip().lower(): value.strip(b' \t"')
        for name, _, value in reversed([*parts])
    }


def _epoch(date: bytes | None) -> float | None:
    """Return an HTTP date in seconds since the epoch, or `None` if it is not one."""
    # No form of HTTP is longer.
    text = (date or b"")[:64].decode("latin-1")
    with suppress(ValueError, OverflowError, TypeError):
        at = parsedate_to_datetime(text)
        # A date without a zone is in UTC, as all of HTTP.
        return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    return None


def _digits(value: bytes | None) -> float | None:
    """Return a whole number of HTTP; of a very long one only the first digits count."""
    value = (value or b"").strip()
    # A header of a megabyte of digits must cost nothing; 10**18 is "for ever".
    return float(int(value[:18])) if value.isdigit() else None


def redirect_target(response: Response) -> str | None:
    """Return the absolute URL a 3xx redirects to, without fragment, or `None`."""
    location = response.headers.get("Location")
    # Ours R2: without a target it is the final answer, and R5 by its status.
    if response.status not in REDIRECTS or not location:
        return None
    try:
        parts = urlsplit(urljoin(response.url, safe_url_string(location)))
        # Credentials never go into a robots.txt URL; a port is part of the origin.
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=host, fragment="").geturl()
    except ValueError:
        return "an unreadable address"


def _validator(response: Response, name: str) -> str | None:
    """Return header *name* as text, in which no byte is lost, to be sent back later.

    Without it, `None`, the next answer is the whole file.
    """
    value = response.headers.get(name) or b""
    return value.decode("latin-1") if _VALIDATOR.fullmatch(value) else None
