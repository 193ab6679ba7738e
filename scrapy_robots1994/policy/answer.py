"""`Answer` (the result of GET /robots.txt) and functions that read times from its headers."""

import re
from contextlib import suppress
from datetime import timezone
from typing import Literal, NamedTuple, Protocol, TypeAlias

from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.policy.outcomes import Outcome, outcome_of

MAX_HEADER_BYTES = 4_096
"""How much of Cache-Control is read, and how long a Location may be, in bytes."""

_NOT_FRESH = re.compile(rb"(?<![\w-])no-(store|cache)(?![\w-])")
_MAX_AGE = re.compile(rb"(?<![\w-])max-age\s*=[\s\"]*([^,\s\"]*)")

Source: TypeAlias = Literal["fetched", "store", "cache"]


class HeaderLines(Protocol):
    """The part of `scrapy.http.Headers` that this module needs."""

    def getlist(self, key: str) -> list[bytes]:
        """Return the values of all header lines named *key*."""

    def get(self, key: str) -> bytes | None:
        """Return the value of the last header line named *key*."""


class Answer(NamedTuple):
    """The result of GET /robots.txt, after redirects."""

    urls: tuple[str, ...]
    """The requested URLs, in order."""
    fetched_at: float
    """Seconds since the epoch."""
    fresh_from: float | None = None
    """When the freshness lifetime begins, if not at *fetched_at*, in seconds since the epoch."""
    status: int | None = None
    """The HTTP status, or None if the request raised an exception. If *status* and *failure* are
    both None, the HTTP cache of an offline crawl does not contain the file.
    """
    body: bytes = b""
    """The decompressed body, cut at `ROBOTS1994_MAX_BYTES`. Empty unless the file decides."""
    is_truncated: bool = False
    """Whether *body* is only the beginning of the file."""
    lifetime: float | None = None
    """The freshness lifetime of the response, in seconds (RFC 9111 4.2.1)."""
    retry_after: float | None = None
    """Retry-After of the response, in seconds."""
    via_proxy: bool = False
    """Whether a proxy may have given the answer (Ours 3.1)."""
    failure: str | None = None
    """Why the answer is unusable, in a few words. None if it is usable or *status* says why."""
    source: Source = "fetched"
    """Where the answer came from. "cache" is Scrapy's HTTP cache, also if it lacks the file."""
    error: Exception | None = None
    """The exception that the request raised. Not written to stores."""

    @property
    def outcome(self) -> Outcome:
        if self.failure is not None:
            return Outcome.UNREACHABLE
        if self.status is None:
            # Ours 3.2: an offline crawl requests nothing.
            return Outcome.ABSENT
        return outcome_of(self.status, via_proxy=self.via_proxy)

    @property
    def is_of_origin(self) -> bool:
        """Whether the origin itself gave the answer, so that a store may share it (Ours 3.1)."""
        row = self.outcome.row
        is_stated = row.is_answer and self.status is not None
        return is_stated and (row.is_trusted or not self.via_proxy)

    @property
    def final_url(self) -> str | None:
        """The last URL requested, or None if no redirect was followed."""
        return self.urls[-1] if len(self.urls) > 1 else None

    @property
    def words(self) -> str:
        """The answer in a few words that are safe to print."""
        text = self.failure or f"HTTP {self.status}"
        if self.status is None and self.failure is None:
            text = "not in the HTTP cache"
        elif self.failure is None and self.via_proxy:
            text += " through a proxy"
        if self.final_url is None:
            return text
        return f"redirected to {redact_and_escape(self.final_url, 120)}, {text}"


def date_of(headers: HeaderLines) -> float | None:
    """Return the `Date` of a response in seconds since the epoch, or None if it is missing or
    unreadable.
    """
    return _epoch(headers.get("Date"))


def freshness_lifetime(headers: HeaderLines, now: float) -> float | None:
    """Return the freshness lifetime of a response, less its Age, in seconds.

    Return None if the headers state no lifetime. *now* is used if the Date is missing
    or unreadable.
    """
    # Read only the beginning, because a header may be megabytes long.
    listed = b",".join(headers.getlist("Cache-Control"))[:MAX_HEADER_BYTES].lower()
    if _NOT_FRESH.search(listed):
        return 0.0
    expires = headers.get("Expires")
    # RFC 9111 4.2.1: of several values, the first counts.
    if max_age := _MAX_AGE.search(listed):
        # RFC 9111 4.2.1: an unreadable max-age makes the response stale.
        lifetime = _digits(max_age[1]) or 0.0
    elif expires is not None:
        # RFC 9111 5.3: an invalid date, such as 0, counts as a time in the past.
        date = date_of(headers)
        lifetime = (_epoch(expires) or 0.0) - (now if date is None else date)
    else:
        return None
    # RFC 9111 5.1: an unreadable Age is ignored.
    return max(lifetime - (_digits(headers.get("Age")) or 0.0), 0.0)


def retry_after(headers: HeaderLines, now: float) -> float | None:
    """Return the Retry-After of a response in seconds (RFC 9110 10.2.3).

    *now* is used if the Date is missing or unreadable.
    """
    value = headers.get("Retry-After")
    seconds = _digits(value)
    if seconds is not None:
        return seconds
    at, date = _epoch(value), date_of(headers)
    # Compare with the server's own Date, because the server's clock may differ from ours.
    return None if at is None else max(at - (now if date is None else date), 0.0)


def _epoch(date: bytes | None) -> float | None:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - robots-lint does not need it

    # HTTP dates are shorter than 64 characters.
    text = (date or b"")[:64].decode("latin-1")
    with suppress(ValueError, OverflowError, TypeError):
        at = parsedate_to_datetime(text)
        # HTTP dates are in UTC.
        return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    return None


def _digits(value: bytes | None) -> float | None:
    value = (value or b"").strip()
    # Cut long numbers, so that the result is finite.
    return float(value[:18]) if value.isdigit() else None
