"""Headers of the response to a request for a robots.txt: how long it is fresh, and when to
request it again (RFC 9110, RFC 9111).
"""

from contextlib import suppress
from datetime import timezone
from email.utils import parsedate_to_datetime

from scrapy.http import Response


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
