"""The log lines and stats about the robots.txt fetches of a crawl."""

import traceback
from logging import ERROR, INFO, WARNING

from scrapy import exceptions
from scrapy.crawler import Crawler
from scrapy.utils.python import global_object_name

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import (
    MessageKind,
    OriginLog,
    count,
    log_lines,
)
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.escaping import one_line
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Ignored
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    Cancelled,
    FetchResult,
    LocalFault,
    said_of,
)
from scrapy_robots1994.policy.policy import Policy

MAX_TRACEBACKS = 20
"""Maximum number of places in the code whose exceptions are logged."""


_CHECK = "`scrapy robots-check --explain URL` shows what an origin answers now"
_LINT = "`scrapy robots-lint URL` shows the problems of a file"

OBEYING = (
    'ROBOTS1994_DIALECT = "rfc9309" obeys them, and "strictest" those that disallow'
)

_STALE = MessageKind(
    WARNING,
    "robots.txt of %d origins could not be fetched again: their last good policies "
    "remain in use, for at most ROBOTS1994_STALE_TTL",
    _CHECK,
)
_LOCAL_FAULT = MessageKind(
    WARNING,
    "%d fetches of robots.txt failed with a local error, and the requests that waited for "
    "these fetches also failed",
    _CHECK,
)
_ABORTED = MessageKind(INFO, "%d fetches of robots.txt were aborted", _CHECK)
_TRUNCATED = MessageKind(
    WARNING,
    "%d robots.txt files are longer than ROBOTS1994_MAX_BYTES: only their whole lines within "
    "this limit are obeyed",
    _LINT,
)
_MARKUP = MessageKind(
    INFO,
    "%d robots.txt files begin as a page of HTML or XML does: most such pages disallow "
    "nothing",
    _LINT,
)
_COMPRESSED = MessageKind(
    WARNING,
    "%d robots.txt files are compressed without a Content-Encoding, so their lines "
    "cannot be read: they disallow nothing",
    _LINT,
)
_IGNORING = MessageKind(
    WARNING,
    "%d robots.txt files have lines for this robot that the dialect ignores or takes "
    f"literally; {OBEYING}",
    _CHECK,
)


class FetchLog:
    """Logs and counts the fetches of one crawl."""

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._settings = settings
        # In a dry run, the built-in middleware decides, so our middleware does not refuse
        # requests.
        self._are_refused = "would be refused" if settings.dry_run else "are refused"
        sources = ["the store"] * (settings.store.url is not None)
        sources += ["the HTTP cache"] * crawler.settings.getbool("HTTPCACHE_ENABLED")
        self._sources = " or ".join(sources)
        # Name the dialect in the command that log lines suggest. The command reads the
        # settings of the project, but not the settings of a spider or of `scrapy -s`.
        options = f" --dialect {settings.dialect}" * (settings.dialect != "1994")
        self._lint = f"scrapy robots-lint{options}"
        self._origins = OriginLog(crawler)
        # `_bugs` contains the places in the code whose exceptions were logged. Without
        # `_bugs`, the traceback of one broken middleware could be logged for thousands of
        # origins.
        self._bugs: set[str] = set()

    def fetched(
        self,
        policy: Policy,
        result: Answer,
        last: Policy | None,
        logged: Policy | None,
        now: float,
    ) -> None:
        """Log and count *policy*, which was made from *result* at the time *now*.

        *last* is the last good policy, perhaps from the store. *logged* is the policy that
        this crawl logged before.
        """
        # Count the outcome of *result* and not of *policy*, because a stale policy has the
        # outcome of an earlier answer.
        count(self._crawler, stats.OUTCOMES, outcome=result.outcome.value)
        if policy.failure is None:
            # Without a last good policy, the fetch is not a refresh.
            if last is not None:
                count(self._crawler, stats.REFRESHED)
            self._log_policy(policy, logged, "", policy.fetched_at)
            return
        if policy.is_stale_on_error:
            count(self._crawler, stats.STALE_IF_ERROR)
        kind, meaning = self._meaning(policy, logged)
        text = f"Could not fetch %s (%s): {meaning}"
        # In a dry run, our middleware does not send requests.
        if not self._settings.dry_run:
            pause = policy.fresh_until - now
            text += f"; the next fetch is in {pause:.0f} s at the earliest"
        self._origins.log(kind, text, policy.origin, policy.failure)

    def loaded(self, policy: Policy, last: Policy | None, now: float) -> None:
        """Log and count *policy*, which was found in a source (the store or Scrapy's HTTP
        cache).

        *last* is the policy that was logged before.
        """
        count(self._crawler, stats.STORE_HITS)
        age = now - policy.fetched_at
        found = f", from {self._sources}, fetched {age:.0f} s ago"
        self._log_policy(policy, last, found, now)

    def _log_policy(
        self, policy: Policy, logged: Policy | None, found: str, now: float
    ) -> None:
        """Log *policy*. *found* is a clause about the source of *policy*, or "" for a
        policy that was fetched. *logged* is the policy that was logged before.
        """
        kind, meaning = self._meaning(policy, logged)
        rest = policy.fresh_until - now
        self._origins.log(
            kind,
            # The format may contain `meaning`, because it is our own text and does not
            # contain a per cent sign.
            "%s%s: %s, %s%s, %s" + f"; {meaning}" * bool(meaning),
            policy.origin,
            f" (redirected to {policy.final_url})" if policy.final_url else "",
            "no answer" if policy.status is None else f"HTTP {policy.status}",
            policy.outcome.value,
            found,
            f"fresh for {rest:.0f} s" if rest >= 0 else "used while it is refreshed",
        )

    def _meaning(
        self, policy: Policy, logged: Policy | None
    ) -> tuple[MessageKind | None, str]:
        """Return the message kind for *policy*, and a clause about its effect, or "".

        *logged* is the policy that was logged before. The message kind is `None` for a
        line at DEBUG, for example if *policy* has an ordinary file, or if its meaning is
        not new.
        """
        row = policy.outcome.row
        if policy.is_stale_on_error:
            # Ours R5 (unreachable): the last good policy takes precedence over
            # ROBOTS1994_UNREACHABLE.
            is_new = logged is None or not logged.is_stale_on_error
            return _STALE if is_new else None, "the last good policy remains in use"
        if row.reason:
            is_open = row.outcome in self._settings.freshness.allowing
            # The words about the effect name the setting that decides, so that the reader
            # of the log can change it.
            effect = row.effect(is_open=is_open, refused=self._are_refused)
            kind = None
            # Log above DEBUG, because a status such as 403 is often a mistake in the
            # configuration of the server (R3, access refused). Log above DEBUG only once
            # for each origin, because the fetch of an unreachable origin is repeated
            # (R5).
            is_new = logged is None or logged.outcome is not row.outcome
            if is_new and not (is_open and row.is_answer):
                origins = "robots.txt of %d origins could not be fetched"
                if row.is_answer:
                    origins = f"%d origins answered {row.statuses} for robots.txt"
                text = f"{origins}: all their URLs {effect}"
                kind = MessageKind(WARNING, text, _CHECK)
            return kind, f"all its URLs {effect}" if row.setting else ""
        robots = policy.robots if logged is None or logged.robots is None else None
        if robots and robots.compression:
            return _COMPRESSED, (
                f"the file is {robots.compression} data without a Content-Encoding, so its lines "
                "cannot be read: the file disallows nothing"
            )
        if robots and robots.is_markup:
            # Log above DEBUG, because some servers send an HTML page for every path. An
            # HTML page usually disallows nothing.
            text = "the file begins as a page of HTML or XML does, not as a robots.txt"
            return _MARKUP, text
        return None, ""

    def retrying(self, origin: Origin, result: FetchResult, pause: float) -> None:
        """Log and count a retry after *pause* seconds (Ours 3.1, retries)."""
        count(self._crawler, stats.RETRIES)
        text = "Could not fetch %s (%s); retrying in %.1f s"
        self._origins.log(None, text, origin, said_of(result), pause)

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Log and count a fetch that ended without a policy (R6, closing; R7, our own
        fault).
        """
        if isinstance(fault, Cancelled):
            count(self._crawler, stats.FETCH_ABORTED)
            # Do not warn, because every interrupted crawl aborts fetches (R6, closing).
            kind: MessageKind | None = _ABORTED
            text = (
                "requests waiting for this robots.txt are returned to the scheduler, or "
                "fail with FetchAborted"
            )
        else:
            count(self._crawler, stats.LOCAL_FAULTS)
            middleware = breaking_middleware(fault)
            if middleware or fault.is_bug:
                self._bug(origin, fault, middleware)
            # If a middleware raised the exception, `_bug` logs the exception at ERROR.
            kind = None if middleware else _LOCAL_FAULT
            text = (
                "local error; requests waiting for this robots.txt fail with it, and the "
                "next request retries"
            )
        text = f"Could not fetch %s (%s): {text}"
        self._origins.log(kind, text, origin, said_of(fault))

    def _bug(self, origin: Origin, fault: LocalFault, middleware: str | None) -> None:
        """Log an exception that *middleware* or our code raised, once for each place in the
        code.
        """
        error = fault.error
        # Find the line that raised the exception. An exception that was never raised has no
        # traceback.
        last = traceback.extract_tb(error.__traceback__)[-1:]
        place = f"{type(error)} {middleware or last}"
        if place in self._bugs or len(self._bugs) >= MAX_TRACEBACKS:
            return
        self._bugs.add(place)
        when = f"An exception was raised while {origin.robots_url} was fetched"
        if middleware:
            name = type(error).__name__
            when = (
                f"The downloader middleware {middleware} raised {name} "
                f"({one_line(error)}) for {origin.robots_url}, so all requests to this "
                "origin fail. Let the middleware pass requests for /robots.txt, whose meta has "
                "dont_obey_robotstxt"
            )
        # Do not use `exc_info`, because the message of an exception may contain control
        # characters or credentials.
        raised = "".join(traceback.format_exception(error)).rstrip("\n")
        more = f":\n{raised}" if fault.is_bug else ""
        log_lines(self._crawler, ERROR, f"{when}{more}")

    def truncated(self, origin: Origin) -> None:
        """Warn about a file that exceeds the size limit (Ours O24, truncated files)."""
        count(self._crawler, stats.TRUNCATED)
        self._origins.log(
            _TRUNCATED,
            "%s is longer than ROBOTS1994_MAX_BYTES (%d): only the whole lines within this "
            "limit are obeyed; raise ROBOTS1994_MAX_BYTES to obey the other lines",
            origin,
            self._settings.max_bytes,
        )

    def ignores(self, origin: Origin, ignored: Ignored) -> None:
        """Log and count a file of which the dialect ignores lines."""
        count(self._crawler, stats.IGNORED)
        self._origins.log(
            _IGNORING,
            f"%s: the dialect %s ignores or takes literally %s; {OBEYING}",
            origin,
            self._settings.dialect,
            str(ignored),
        )


HOOKS = frozenset({"process_request", "process_response", "process_exception"})
"""The names of the methods that Scrapy calls in a downloader middleware."""


def breaking_middleware(fault: LocalFault) -> str | None:
    """Return the class path of the downloader middleware that raised the exception of
    *fault*. Return `None` if no middleware raised the exception.
    """
    # Ignore exceptions that are neither bugs nor `IgnoreRequest`. The exception for a
    # failed server or proxy, for example, passes through middlewares that did not raise
    # it.
    if not (fault.is_bug or isinstance(fault.error, exceptions.IgnoreRequest)):
        return None
    found = None
    for frame, _ in traceback.walk_tb(fault.error.__traceback__):
        if frame.f_code.co_name in HOOKS and "self" in frame.f_locals:
            # Use the innermost middleware, because one middleware may call another.
            found = global_object_name(type(frame.f_locals["self"]))
    return found
