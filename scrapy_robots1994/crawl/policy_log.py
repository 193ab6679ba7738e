"""Log and count the policies that a crawl uses, and the fetches that fail."""

from logging import DEBUG, INFO, WARNING

from scrapy.crawler import Crawler
from scrapy.utils.python import global_object_name

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.fetch import (
    is_out_of_resources,
    middleware_of,
    network_failures,
)
from scrapy_robots1994.crawl.log import OriginLog, count
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import NotReturned
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.escaping import one_line
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Rules
from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.policy.policy import Policy

_SOURCES = {"store": "the store", "cache": "the HTTP cache"}


def _duration(seconds: float) -> str:
    whole = round(seconds)
    for size, unit in ((3_600, "h"), (60, "min")):
        if whole and whole % size == 0:
            return f"{whole // size} {unit}"
    return f"{whole} s"


class PolicyLog:
    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._settings = settings
        self._allowing = settings.freshness.allowing
        self._network_failures = network_failures(crawler.settings)
        self._origins = OriginLog(crawler)

    def retrying(
        self, origin: Origin, words: str, attempt: int, attempts: int, pause: float
    ) -> None:
        """Log and count a retry: attempt number *attempt* begins in *pause* seconds (Ours 3.1)."""
        count(self._crawler, stats.RETRIES)
        text = "%s: attempt failed, trying again (%d of %d) in %.1f s: %s"
        level = INFO if attempt == 2 else DEBUG  # noqa: PLR2004 - the first failure
        self._origins.log(level, text, origin, attempt, attempts, pause, words)

    def failed(self, origin: Origin, error: Exception) -> None:
        """Log and count a fetch that ended without a policy (Ours R6, R7)."""
        if isinstance(error, FetchAborted):
            count(self._crawler, stats.FETCH_ABORTED)
            self._origins.log(DEBUG, "%s was not fetched: %s", origin, str(error))
            return
        count(self._crawler, stats.LOCAL_FAULTS)
        advice = (
            "if this exception of your download handler means a network failure, list it in "
            "RETRY_EXCEPTIONS"
        )
        if isinstance(error.__cause__, NotReturned):
            advice = (
                "a middleware that waits must skip requests with is_robotstxt_request in "
                "their meta"
            )
        elif isinstance(error, self._network_failures):
            advice = "the origin may be up: robots.txt was requested through a proxy"
            if is_out_of_resources(error):
                advice = "this machine is out of file descriptors, memory or ports"
        elif middleware := middleware_of(error):
            advice = (
                f"let {global_object_name(type(middleware))} skip requests with "
                "is_robotstxt_request in their meta"
            )
        words = f"{type(error).__name__}: {one_line(error)}"
        text = (
            "Could not fetch %s (%s): requests that wait for it fail with this exception, "
            "and the next request tries again; %s"
        )
        self._origins.log(WARNING, text, origin, words, advice)

    def used(
        self, policy: Policy, answer: Answer, known: Policy | None, now: float
    ) -> None:
        """Log and count *policy*, made from *answer*. *known* is the previous policy of the origin,
        if any.
        """
        # Not `policy.outcome`, which comes from an earlier answer if the policy is stale
        row = answer.outcome.row
        if answer.source == "store":
            count(self._crawler, stats.STORE_HITS)
        else:
            count(self._crawler, stats.OUTCOMES, outcome=row.outcome.value)
            if known is not None and policy.failure is None:
                count(self._crawler, stats.REFRESHED)
        if policy.is_stale_on_error:
            count(self._crawler, stats.STALE_IF_ERROR)
        level, meaning = DEBUG, ""
        if row.setting:
            level, meaning = self._meaning(policy, known)
        # A fetched file has its whole lifetime, even if the crawl was busy since: "24 h", not
        # "86399 s".
        start = answer.fetched_at if answer.source == "fetched" else now
        rest = policy.fresh_until - start
        # `meaning` contains no `%`, so it can be part of the format.
        if policy.failure is not None:
            text = f"Could not fetch %s (%s): {meaning}; asked again in %s"
            self._origins.log(
                level, text, policy.origin, policy.failure, _duration(rest)
            )
            return
        status, source = f"HTTP {policy.status}", ""
        if policy.status is None:
            status = "not in the HTTP cache"
        elif place := _SOURCES.get(answer.source):
            source = (
                f", from {place}, fetched {max(now - policy.fetched_at, 0.0):.0f} s ago"
            )
        self._origins.log(
            level,
            "%s%s: %s, %s%s, %s" + f"; {meaning}" * bool(meaning),
            policy.origin,
            f" (redirected to {policy.final_url})" if policy.final_url else "",
            status,
            policy.outcome.value,
            source,
            f"asked again in {_duration(rest)}",
        )

    def _meaning(self, policy: Policy, known: Policy | None) -> tuple[int, str]:
        row = policy.outcome.row
        if policy.is_stale_on_error:
            is_new = known is None or not known.is_stale_on_error
            meaning = "the last good policy remains in use"
        else:
            is_open = row.outcome in self._allowing
            # Warn only once, because an unreachable robots.txt is requested again and again.
            is_new = known is None or known.outcome is not row.outcome
            is_new &= not (is_open and row.is_answer)
            meaning = f"all URLs of the origin {row.effect(is_open=is_open)}"
        return WARNING if is_new else DEBUG, meaning

    def read(self, origin: Origin, answer: Answer, rules: Rules) -> None:
        """Log and count a new file that is truncated (Ours O24) or has lines that *rules* ignore
        (1994 F6).
        """
        if answer.is_truncated:
            count(self._crawler, stats.TRUNCATED)
            self._origins.log(
                WARNING,
                "%s is longer than ROBOTS1994_MAX_BYTES (%d): only the whole lines within "
                "this limit are obeyed; raise ROBOTS1994_MAX_BYTES to obey the other lines",
                origin,
                self._settings.max_bytes,
            )
        if rules.ignored is not None:
            count(self._crawler, stats.IGNORED)
            self._origins.log(
                WARNING,
                '%s: the dialect %s ignores or takes literally %s; ROBOTS1994_DIALECT = "rfc9309" '
                'obeys them, and "strictest" obeys those that disallow',
                origin,
                self._settings.dialect,
                str(rules.ignored),
            )
