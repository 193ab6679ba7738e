"""The results of one GET /robots.txt, the meaning of an HTTP answer, and the pauses
before a retry.

Only `read_answer` interprets an answer. `read_answer` interprets the answers in a crawl or
a dry run, in Scrapy's HTTP cache, and in WARC files. The row of a status in `outcomes`
determines the meaning of the status. Headers are parsed according to RFC 9110 and RFC 9111,
and long headers are cut.

The type of a failed result shows why the fetch failed. Either the origin failed (R5,
unreachable), the failure is our own fault (R7), or the fetch was cancelled (R6, closing).
`policy/faults.py` chooses the type of a failed result. `docs/standard/retrieval.rst`
describes the decisions R1 to R7 and 3.1 (retries).
"""

import random
import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timezone
from typing import Protocol, TypeAlias, TypeVar
from urllib.parse import urljoin, urlsplit

from scrapy_robots1994.escaping import one_line, redact_and_escape
from scrapy_robots1994.policy.outcomes import (
    NOT_MODIFIED,
    OF_THE_PROXY,
    REDIRECTS,
    Outcome,
    group_of,
    outcome_of,
)
from scrapy_robots1994.policy.unpacking import Undecodable, unpack

ExceptionT = TypeVar("ExceptionT", bound=BaseException)

NETWORK_PAUSES = (1.0, 4.0)
"""The pauses, in seconds, before the first and the second retry after a network failure or
our own fault (R7).
"""

STATUS_PAUSES = (1.0, 4.0, 15.0)
"""The pauses, in seconds, before the first, second and third retry after a status that
means R5 (unreachable).
"""

MAX_RETRY_AFTER = 30.0
"""The longest Retry-After, in seconds, that a fetch obeys. After a longer Retry-After,
the fetch is not retried.
"""

JITTER = 0.25
"""The maximum random extension of a pause, as a share of the pause. The random extensions
spread out the retries of many origins.
"""

MAX_HEADER_BYTES = 4_096
"""The maximum number of bytes that are read from a header that is a list, or from a
Location. If the header has several lines, the limit applies to all its lines together.
"""

UNREADABLE_URL = "an unreadable address"
"""The target of a redirect whose Location is not a URL."""

CODING_HEADERS = ("Content-Encoding", "Transfer-Encoding")

# Match only validators that every HTTP client can send and every store returns unchanged.
# The length is limited, because a header may be megabytes long.
_VALIDATOR = re.compile(rb"[\t\x20-\x7e\xa0-\xff]{1,1000}")


class HeaderLines(Protocol):
    """The headers of an answer. `scrapy.http.Headers` implements this protocol."""

    def getlist(self, key: str) -> list[bytes]:
        """Return the values in all lines of the header *key*, in order."""

    def get(self, key: str) -> bytes | None:
        """Return the value in the last line of the header *key*, or `None`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """An HTTP answer to a request for *url*, before `read_answer` interprets the answer.

    *body* is the body as the server sent it, still encoded. *is_truncated* is `True` if
    *body* is only the beginning of the body that the server sent (Ours O24, truncated
    files). *via_proxy* is `True` if the answer came through a proxy. *is_conditional* is
    `True` if the request contained validators. *final_url* equals *url* if a redirect led
    to *url*, and is `None` without a redirect. *is_changed* is `True` if a downloader
    middleware changed or created the answer.
    """

    url: str
    status: int
    headers: HeaderLines
    body: bytes = b""
    is_truncated: bool = False
    via_proxy: bool = False
    is_conditional: bool = False
    final_url: str | None = None
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect (R2, redirects). *target* is an absolute URL or `UNREADABLE_URL`."""

    target: str


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """The origin's answer to GET /robots.txt, after redirects.

    *body* may be slightly longer than the size limit. *is_truncated* is `True` if the
    download or the unpacking of the body stopped at the limit (Ours O24, truncated
    files). *not_modified* is `True` if the answer is a 304 to a request that contained
    validators. *freshness_lifetime* is the lifetime, in seconds, that the headers state,
    or `None`. *retry_after* is the server's Retry-After in seconds if the answer means R5
    (unreachable), or `None`. *final_url* is the URL that answered after a redirect, or
    `None` without a redirect (R2, redirects). *via_proxy* is `True` if the answer came
    through a proxy. An answer that came through a proxy may come from the proxy itself.
    *is_changed* is `True` if a downloader middleware changed or created the answer.
    """

    status: int
    body: bytes = b""
    is_truncated: bool = False
    not_modified: bool = False
    freshness_lifetime: float | None = None
    retry_after: float | None = None
    etag: str | None = None
    last_modified: str | None = None
    final_url: str | None = None
    via_proxy: bool = False
    is_changed: bool = False

    @property
    def is_of_origin(self) -> bool:
        """Whether the response counts as the origin's own (Ours 3.1, retries). A response
        that came through a proxy counts as the origin's own only if its outcome is
        trusted.
        """
        return self.outcome.row.is_trusted or not self.via_proxy

    @property
    def outcome(self) -> Outcome:
        """The meaning of the answer. A 304 to a conditional request means `RENEWED` (R1,
        not modified). If the answer is not a 304 to a conditional request, the status
        determines the meaning.
        """
        if self.not_modified:
            return Outcome.RENEWED
        return outcome_of(self.status, via_proxy=self.via_proxy)


@dataclass(frozen=True, slots=True)
class FetchError:
    """A fetch to which the origin gave no usable answer (R5, unreachable). Possible causes
    include a timeout, a failed DNS look-up, a TLS failure, a connection reset and a
    redirect loop.

    *kind* is the short name of the failure, and *detail* is one printable line about the
    failure. *is_final* is `True` if a retry would fail in the same way. *final_url* is the
    URL of the failed request if the request was redirected. *error* is the exception that
    the request raised, or `None`.
    """

    kind: str
    detail: str
    is_final: bool = False
    final_url: str | None = None
    error: Exception | None = field(default=None, compare=False, repr=False)

    # A failure has the attributes of a response that means R5 (unreachable).
    outcome = Outcome.UNREACHABLE
    is_of_origin = via_proxy = False
    status = retry_after = None


@dataclass(frozen=True, slots=True)
class LocalFault:
    """A fetch that failed on our side (R7, our own fault). The failure says nothing about
    the origin.

    Each waiting request fails with a copy of *error*. *is_bug* is `True` if a middleware
    or our code raised *error*. *may_pass* is `True` if a retry may succeed, for example
    after a lack of file descriptors. *was_queued* is `True` if a DNS look-up probably
    waited in a queue, so that no request left this machine. *of_proxy* is `True` if a
    proxy failed or refused the request. *final_url* is the URL of the failed request if
    the request was redirected. *retries* is the number of attempts after the first
    attempt.
    """

    error: Exception
    is_bug: bool = False
    may_pass: bool = False
    was_queued: bool = False
    of_proxy: bool = False
    final_url: str | None = None
    retries: int = 0


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A fetch that was cancelled before an answer arrived (R6, closing). *detail* gives
    the reason for the cancellation.
    """

    detail: str


Answer: TypeAlias = RobotsResponse | FetchError
FetchResult: TypeAlias = Answer | LocalFault | Cancelled
ReadAnswer: TypeAlias = Answer | LocalFault | Redirect


def read_answer(answer: HttpAnswer, limit: int, now: float) -> ReadAnswer:
    """Return the meaning of *answer*.

    The body is unpacked only if *reads_body* is `True` in the row of the outcome. Unpacking
    stops after slightly more than *limit* bytes. *now*, in seconds since the epoch, is used
    if the server sent no Date.
    """
    # Ours R2 (redirects): a redirect without a target is not followed, and means R5
    # (unreachable).
    if answer.status in REDIRECTS and (location := answer.headers.get("Location")):
        return Redirect(redirect_target(answer.url, location))
    if answer.status in OF_THE_PROXY:
        # Ours R7 (our own fault): only a proxy sends a status in `OF_THE_PROXY`, so the
        # answer says nothing about the origin.
        refused = f"the proxy refused our credentials (HTTP {answer.status})"
        return LocalFault(ConnectionRefusedError(refused), of_proxy=True)
    body, is_truncated = b"", False
    row = outcome_of(answer.status, via_proxy=answer.via_proxy).row
    if row.reads_body:
        try:
            body, is_truncated = unpacked(answer, limit)
        except Undecodable as error:
            return FetchError("undecodable", str(error), is_final=error.is_final)
    return RobotsResponse(
        status=answer.status,
        body=body,
        is_truncated=is_truncated,
        not_modified=answer.is_conditional and answer.status == NOT_MODIFIED,
        freshness_lifetime=freshness_lifetime(answer.headers, now),
        retry_after=None if row.is_answer else retry_after(answer.headers, now),
        etag=_validator(answer.headers, "ETag"),
        last_modified=_validator(answer.headers, "Last-Modified"),
        final_url=answer.final_url,
        via_proxy=answer.via_proxy,
        is_changed=answer.is_changed,
    )


def unpacked(answer: HttpAnswer, limit: int) -> tuple[bytes, bool]:
    """Return the unpacked body of *answer*, and whether the unpacked body is truncated.

    Raise `Undecodable` if the body cannot be unpacked (R5, unreachable). Also raise
    `Undecodable` if the body is truncated or longer than *limit* bytes, and its first
    *limit* bytes do not contain a line end.
    """
    body, is_truncated = answer.body, answer.is_truncated
    if codings := codings_of(answer.headers):
        body, is_truncated = unpack(body, codings, limit, is_truncated=is_truncated)
    # Ours O24 (truncated files): only whole lines are obeyed. If even the first line is
    # longer than the limit, the rules are unknown. Unknown rules never mean "allowed".
    is_longer = is_truncated or len(body) > limit
    if is_longer and not any(end in body[:limit] for end in (b"\r", b"\n")):
        why = f"no line ends within {limit} bytes; raise ROBOTS1994_MAX_BYTES"
        raise Undecodable(why, is_final=True)
    return body, is_truncated


def redirect_target(url: str, location: bytes) -> str:
    """Return the absolute URL, without a fragment, to which an answer from *url* redirects.
    *location* is the Location header of the answer.
    """
    from w3lib.url import safe_url_string  # noqa: PLC0415 - robots-lint starts without it

    if len(location) > MAX_HEADER_BYTES:
        return UNREADABLE_URL
    try:
        parts = urlsplit(urljoin(url, safe_url_string(location)))
        # Remove credentials, because the URL of a robots.txt must not contain credentials.
        # Keep the port, because the port is part of the origin.
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=host, fragment="").geturl()
    except ValueError:
        return UNREADABLE_URL


def codings_of(headers: HeaderLines) -> tuple[str, ...]:
    """Return the codings of a body, in the order in which the server applied the codings.

    The codings `identity` and `chunked` are omitted, because a body with one of these
    codings needs no unpacking. Some servers also send quotes and parameters, which are
    omitted.
    """
    if not any(map(headers.getlist, CODING_HEADERS)):
        return ()
    # List transfer codings last, because servers apply them last. After the download, a
    # body may still have a transfer coding, because aiohttp decodes only `chunked`.
    sent = [it for name in CODING_HEADERS for it in _listed(headers, name)]
    names = [it.decode("latin-1").lower().partition(";")[0] for it in sent]
    names = [name.strip(" \t\"'") for name in names]
    return tuple(name for name in names if name not in {"", "identity", "chunked"})


def date_of(headers: HeaderLines) -> float | None:
    """Return the `Date` of an answer in seconds since the epoch, or `None` if the answer
    has no valid `Date`.
    """
    return _epoch(headers.get("Date"))


def is_private(headers: HeaderLines) -> bool:
    """Return whether the Cache-Control header of an answer contains `no-store`."""
    return b"no-store" in _cache_controls(headers)


def freshness_lifetime(headers: HeaderLines, now: float) -> float | None:
    """Return the freshness lifetime, in seconds, that an answer states, or `None` if the
    answer does not state a lifetime.

    The result is the lifetime (RFC 9111, section 4.2.1) minus the Age. The Age is the time
    that the answer spent in caches. If the Cache-Control header contains `no-store` or
    `no-cache`, the result is 0. *now*, in seconds since the epoch, is used if the server
    sent no Date.
    """
    controls = _cache_controls(headers)
    # Ours R1 (the file): the policy is fresh for at least `ROBOTS1994_MIN_TTL`, even if the
    # lifetime in the answer is 0.
    if b"no-store" in controls or b"no-cache" in controls:
        return 0.0
    expires = headers.get("Expires")
    if b"max-age" in controls:
        # An answer with an unreadable max-age is stale at once (RFC 9111, 4.2.1).
        lifetime = _digits(controls[b"max-age"]) or 0.0
    elif expires is not None:
        # An invalid date, especially 0, counts as a date in the past (RFC 9111, 5.3).
        lifetime = (_epoch(expires) or 0.0) - _date(headers, now)
    else:
        return None
    # An unreadable Age is ignored (RFC 9111, 5.1).
    return max(lifetime - (_digits(headers.get("Age")) or 0.0), 0.0)


def retry_after(headers: HeaderLines, now: float) -> float | None:
    """Return the Retry-After of an answer in seconds. Return `None` if Retry-After is
    missing or unreadable.

    *now*, in seconds since the epoch, is used if the server sent no Date.
    """
    value = headers.get("Retry-After")
    if not value:
        return None
    # Retry-After is a number of seconds or a date (RFC 9110, 10.2.3).
    seconds = _digits(value)
    if seconds is not None:
        return seconds
    at = _epoch(value)
    # Subtract the server's Date instead of *now*, because the server's clock may differ
    # from the local clock.
    return None if at is None else max(at - _date(headers, now), 0.0)


def _date(headers: HeaderLines, now: float) -> float:
    """Return the Date of an answer, which is the time on the server's clock. Return *now*
    if the server sent no valid Date.
    """
    date = date_of(headers)
    return now if date is None else date


def _cache_controls(headers: HeaderLines) -> dict[bytes, bytes]:
    """Return the directives of Cache-Control in lower case, with their values."""
    if not headers.getlist("Cache-Control"):
        return {}
    parts = (part.partition(b"=") for part in _listed(headers, "Cache-Control"))
    return {
        name.strip().lower(): value.strip(b' \t"')
        for name, _, value in reversed([*parts])
    }


def _listed(headers: HeaderLines, name: str) -> list[bytes]:
    """Return the members of the list in the header *name*. If the header is too long,
    omit the member at which the header is cut.
    """
    # Several lines of the same header form one list (RFC 9110, 5.3).
    left, lines = MAX_HEADER_BYTES, []
    for line in headers.getlist(name):
        lines.append(line[:left])
        left -= len(line) + 1
        if left < 0:
            # Drop the last member of the list, which may be incomplete.
            lines[-1] = lines[-1].rpartition(b",")[0]
            break
    return b",".join(lines).split(b",")


def _epoch(date: bytes | None) -> float | None:
    """Return the HTTP date *date* in seconds since the epoch, or `None` if *date* is not a
    valid date.
    """
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - robots-lint starts without it

    # Read only 64 characters, because every HTTP date is shorter.
    text = (date or b"")[:64].decode("latin-1")
    with suppress(ValueError, OverflowError, TypeError):
        at = parsedate_to_datetime(text)
        # Read a date without a time zone as UTC, because all HTTP dates are in UTC.
        return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    return None


def _digits(value: bytes | None) -> float | None:
    """Return the whole number in *value*, or `None` if *value* is not a whole number. Only
    the first 18 digits are read.
    """
    value = (value or b"").strip()
    # Converting a number with thousands of digits would take too long. The limit is 18
    # digits, because 10**18 seconds mean "forever".
    return float(int(value[:18])) if value.isdigit() else None


def _validator(headers: HeaderLines, name: str) -> str | None:
    """Return the value of the header *name* as text, so that the value can be sent back
    later. The text preserves every byte.

    Return `None` if the value cannot be sent back. A later request does not contain a
    validator that cannot be sent back.
    """
    value = headers.get(name) or b""
    return value.decode("latin-1") if _VALIDATOR.fullmatch(value) else None


def said_of(result: FetchResult) -> str:
    """Describe in a few words the reason why *result* does not state a policy. The
    description contains the final URL if the request was redirected.
    """
    match result:
        case FetchError(kind, detail):
            # Some messages, such as "Connection refused", repeat the kind of the failure.
            said = kind if kind in detail.lower() else f"{kind}: {detail}"
        case LocalFault(error):
            said = f"{type(error).__name__}: {one_line(error)}"
            said = f"a proxy failed, {said}" if result.of_proxy else said
        case Cancelled(detail):
            return detail
        case RobotsResponse(status):
            said = f"HTTP {status}" + " through a proxy" * result.via_proxy
    if result.final_url is None:
        return said
    return f"redirected to {redact_and_escape(result.final_url, 120)}, {said}"


def failure_of(result: Answer) -> str:
    """Describe the failure of an origin in a few words (R5, unreachable). The description
    is used in verdicts.
    """
    said = result.kind if isinstance(result, FetchError) else f"HTTP {result.status}"
    if result.final_url is None:
        return said
    return f"{said} at {redact_and_escape(result.final_url, 120)}"


def copy_of(error: ExceptionT) -> ExceptionT:
    """Return a copy of the exception *error*, with *error* as its cause.

    If one exception object were raised for thousands of requests, it would collect a
    traceback for each request. The copy does not have attributes that an `__init__` in C
    sets, such as the text of a UnicodeError. The original exception, which is the cause of
    the copy, has these attributes.
    """
    # Do not use `copy.copy`, which calls `__init__` with `args`. The `__init__` of the
    # class may need arguments that differ from `args`.
    made = type(error).__new__(type(error), *error.args)
    made.args = error.args
    made.__dict__.update(error.__dict__)
    made.__cause__ = error
    return made


def retry_pause(
    result: FetchResult,
    retries: int,
    max_retries: int = len(STATUS_PAUSES),
    *,
    was_refused: bool = False,
    has_other_way: bool = False,
) -> float | None:
    """Return the seconds until the next attempt, or `None` if no further attempt is made.
    *retries* is the number of retries so far.

    *max_retries* is Scrapy's `RETRY_TIMES`, or 0 if `RETRY_ENABLED` is off. The number of
    retries never exceeds the number of pauses, so the number of requests to an
    unreachable origin is bounded. *was_refused* is `True` if the answer to an earlier
    attempt was a 401 or 403, perhaps from a proxy. *has_other_way* is `True` if a waiting
    request has a context that no attempt has used. A failure of a proxy is retried only
    if *has_other_way* is `True`. A fault of our own (R7) that no proxy caused is retried
    here only if *may_pass* of the result is `True`.
    """
    pauses: tuple[float, ...] = ()
    retry_after = None
    match result:
        case RobotsResponse(outcome=Outcome.FORBIDDEN, via_proxy=True) if (
            not was_refused
        ):
            # Ours 3.1 (retries): retry once. The 401 or 403 may come from a proxy, or the
            # origin may refuse only one of several proxies.
            pauses, retry_after = STATUS_PAUSES, 0.0
        case FetchError(is_final=False) | LocalFault(may_pass=True):
            pauses = NETWORK_PAUSES
        case LocalFault(of_proxy=True) if has_other_way:
            pauses = NETWORK_PAUSES
        case RobotsResponse(outcome=Outcome.UNREACHABLE) if group_of(
            result.status
        ).statuses:
            pauses, retry_after = STATUS_PAUSES, result.retry_after
    if retries >= min(max_retries, len(pauses)):
        return None
    pause = pauses[retries] if retry_after is None else retry_after
    if pause > MAX_RETRY_AFTER:
        return None
    # Wait at least for the shortest pause, even if Retry-After is shorter. A server needs
    # some time to recover.
    pause = max(pause, STATUS_PAUSES[0])
    return pause * (1 + JITTER * random.random())  # noqa: S311 - only spreads the load
