"""Headers of a robots.txt response, read with Scrapy's own parsers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.extensions.httpcache import parse_cachecontrol, rfc1123_to_epoch

if TYPE_CHECKING:
    from scrapy.http import Response

    from scrapy_robots1994.policy import Validators

# Content codings that hide the text from us if nothing has undone them.
CODINGS = ("gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd")
_NO_CODING = frozenset({b"", b"identity"})
# Control characters of which packed bytes have many and texts none.
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")


def freshness_lifetime(response: Response, now: float) -> float | None:
    """Return the seconds of freshness that *response* promises; `None` for no promise.

    Its lifetime (RFC 9111, 4.2.1) less the Age it has come to in caches on its way.
    `no-store` and `no-cache` promise none at all: 0. *now*, in seconds since the
    epoch, stands for a Date that the server did not send.
    """
    controls = parse_cachecontrol(b", ".join(response.headers.getlist("Cache-Control")))
    # Ours R1: the lower bound MIN_TTL still applies to it.
    if b"no-store" in controls or b"no-cache" in controls:
        return 0.0
    if b"max-age" in controls:
        # An unreadable max-age is stale at once (RFC 9111, 4.2.1).
        return _remaining(_digits(controls[b"max-age"]) or 0.0, response)
    expires = response.headers.get("Expires")
    if expires is None:
        return None
    # An invalid date, especially 0, lies in the past (RFC 9111, 5.3).
    until = rfc1123_to_epoch(expires)
    if until is None:
        return 0.0
    date = rfc1123_to_epoch(response.headers.get("Date") or b"")
    return _remaining(until - (now if date is None else date), response)


def _remaining(seconds: float, response: Response) -> float:
    """Return what is left of a lifetime of *seconds*."""
    # An unreadable Age is as good as none (RFC 9111, 5.1).
    return max(seconds - (_digits(response.headers.get("Age")) or 0.0), 0.0)


def retry_after(response: Response, now: float) -> float | None:
    """Return Retry-After in seconds from *now*, from a number or a date; `None` if neither."""
    value = response.headers.get("Retry-After")
    if value is None:
        return None
    seconds = _digits(value)
    if seconds is not None:
        return seconds
    at = rfc1123_to_epoch(value)
    return None if at is None else max(at - now, 0.0)


def text(response: Response, name: str) -> str | None:
    """Return header *name* as text, or `None`; no byte is lost."""
    value = response.headers.get(name)
    return None if value is None else value.decode("latin-1")


def conditions(validators: Validators) -> dict[str, bytes]:
    """Return the headers of a request for the file only if *validators* match no more."""
    conditional = {
        "If-None-Match": validators.etag,
        "If-Modified-Since": validators.last_modified,
    }
    return {
        name: value.encode("latin-1") for name, value in conditional.items() if value
    }


def codings(response: Response) -> tuple[str, ...]:
    """The content codings of the body, in the order they were applied.

    Without quotes and parameters, which some servers send, and without `identity`.
    """
    # Several header lines are one list (RFC 9110, 5.3).
    found = b",".join(response.headers.getlist("Content-Encoding")).lower().split(b",")
    names = [coding.partition(b";")[0].strip(b" \t\"'") for coding in found]
    return tuple(name.decode("latin-1") for name in names if name not in _NO_CODING)


def hidden_by(response: Response) -> str | None:
    """The content coding that nothing has undone, or `None`.

    Of a name that is no coding we know, such as `utf-8`, the body decides: to read
    packed bytes as a file without rules would allow everything.
    """
    is_packed = _NOT_TEXT.search(response.body) is not None
    found = (it for it in codings(response) if it in CODINGS or is_packed)
    return next(found, None)


def _digits(value: bytes | None) -> float | None:
    """Return a non-negative whole number as HTTP writes it; bounded, so any length is fine."""
    value = (value or b"").strip()
    return float(int(value[:18])) if value.isdigit() else None
