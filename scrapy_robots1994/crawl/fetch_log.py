"""What a crawl logs and counts about the fetches of robots.txt files."""

import traceback
from collections import Counter
from logging import DEBUG, ERROR, INFO, WARNING

from scrapy import signals
from scrapy.crawler import Crawler

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.faults import breaking_middleware, one_line
from scrapy_robots1994.crawl.log import counted, log_line, log_lines
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.lint.kinds import Problem
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.body import begins_as_markup
from scrapy_robots1994.policy.fetch_result import (
    Answer,
    Cancelled,
    FetchError,
    FetchResult,
    LocalFault,
)
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy

MAX_WARNINGS = 20
"""Origins of one outcome that refuses everything, such as a 403, with a warning each; more
are counted at the close."""

MAX_PROBLEMS = 10
"""Problems of one file that a crawl looks for, to name one and to count them."""

MAX_TRACEBACKS = 20
"""Different places in code whose exceptions are logged with a traceback."""


class FetchLog:
    """Logs and counts the fetches of one crawl."""

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._settings = settings
        # In a dry run the built-in decides.
        self._are_refused = "would be refused" if settings.dry_run else "are refused"
        # Origins by the outcome that refuses everything there.
        self._refusing: Counter[Outcome] = Counter()
        # A broken middleware would log a traceback for each of thousands of origins.
        self._bugs: set[str] = set()
        # Origins whose file has lines for this robot below a blank line.
        self._number_of_splits = 0
        # Files that begin as a page does.
        self._number_of_pages = 0
        crawler.signals.connect(self._closed, signals.spider_closed)

    def fetched(
        self,
        policy: Policy,
        result: Answer,
        last: Policy | None,
        logged: Policy | None,
        now: float,
    ) -> None:
        """Log and count a policy that *result* made *now*.

        *last* is the good policy before it, perhaps from the store; *logged* is the
        policy that this crawl logged before.
        """
        # Of the result, not of the policy: a stale one keeps the outcome that it had.
        outcome = result.outcome.value
        stats.count(self._crawler, stats.OUTCOMES, outcome=outcome)
        if policy.is_known and not policy.is_stale_on_error:
            # A first fetch refreshes nothing.
            if last is not None:
                stats.count(self._crawler, stats.REFRESHED)
            self._known(policy, logged)
        else:
            self._unreachable(policy, result, logged, policy.fresh_until - now)

    def _known(self, policy: Policy, last: Policy | None) -> None:
        """Log a policy that the origin stated; *last* was logged before.

        A status that refuses everything, such as a 403, is often a mistake of the origin
        (R3): warn of the first ones.
        """
        # Thousands of origins of a broad crawl are not news; what they refuse is.
        level, more, row = DEBUG, "", policy.outcome.row
        if row.setting:
            # The reader learns which setting decides, and what would be otherwise.
            more = f"; all its URLs {self._effect(row.outcome)}"
        if row.reason and row.outcome not in self._settings.freshness.allowing:
            # A refresh with the same answer has been logged.
            is_new = last is None or last.outcome is not row.outcome
            self._refusing[row.outcome] += is_new
            if is_new and self._refusing[row.outcome] <= MAX_WARNINGS:
                level = WARNING
        if (last is None or last.robots is None) and _begins_as_markup(policy):
            # A page that answers every path, and more than a detail: nothing is refused.
            more += "; it begins as a page of HTML or XML does, not as a robots.txt"
            self._number_of_pages += 1
            if self._number_of_pages <= MAX_WARNINGS:
                level = max(level, INFO)
        # Our own words, without a per cent sign: they may be part of the format.
        text = f"%s%s: HTTP %s, %s, fresh for %.0f s{more}"
        target = f" (redirected to {policy.final_url})" if policy.final_url else ""
        lifetime = policy.fresh_until - policy.fetched_at
        outcome = policy.outcome.value
        self._log(level, text, policy.origin, target, policy.status, outcome, lifetime)

    def _unreachable(
        self, policy: Policy, result: Answer, last: Policy | None, pause: float
    ) -> None:
        """Warn of an origin without a usable answer (R5), once while a good policy stands.

        *pause* are the seconds until the next fetch.
        """
        if policy.is_stale_on_error:
            stats.count(self._crawler, stats.STALE_IF_ERROR)
            # R5: it weighs more than what a setting says about unknown ones.
            meaning = "the last good policy stands"
        else:
            meaning = f"all its URLs {self._effect(policy.outcome)}"
        # One that stays down is tried again and again: one warning is enough where
        # nothing is refused for it.
        was_stale = last is not None and last.is_stale_on_error
        level = DEBUG if policy.is_stale_on_error and was_stale else WARNING
        text = (
            "Could not fetch %s (%s): %s; the next fetch is in %.0f s at the earliest"
        )
        self._log(level, text, policy.origin, _reason(result), meaning, pause)

    def loaded(self, policy: Policy, now: float) -> None:
        """Log and count a policy of the store."""
        stats.count(self._crawler, stats.STORE_HITS)
        age, rest = now - policy.fetched_at, policy.fresh_until - now
        state = f"fresh for another {rest:.0f} s"
        if rest <= 0:
            state = "used while it is renewed"
        # At DEBUG, like every fetch that went well.
        text = "%s: %s, in the store for %.0f s, %s"
        self._log(DEBUG, text, policy.origin, policy.outcome.value, age, state)

    def retrying(self, origin: Origin, result: FetchResult, pause: float) -> None:
        """Log and count a retry (Ours 3.1)."""
        stats.count(self._crawler, stats.RETRIES)
        # Also where a retry may succeed: a bug is a bug.
        self._bug(origin, result)
        text = "Could not fetch %s (%s); retrying in %.1f s"
        self._log(DEBUG, text, origin, _reason(result), pause)

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Log and count a fetch that ended without a policy (R6, R7)."""
        if isinstance(fault, Cancelled):
            stats.count(self._crawler, stats.FETCH_ABORTED)
            # No warning: it is how every crawl ends that is interrupted (R6).
            level = INFO
            text = "its waiting requests go back to the scheduler, or fail with FetchAborted"
        else:
            stats.count(self._crawler, stats.LOCAL_FAULTS)
            self._bug(origin, fault)
            # One that a middleware breaks has its line, which names the middleware.
            level = DEBUG if breaking_middleware(fault) else WARNING
            text = (
                "the failure is on our side; its waiting requests fail with it, and the "
                "next one fetches again"
            )
        self._log(level, f"Could not fetch %s (%s): {text}", origin, _reason(fault))

    def _bug(self, origin: Origin, result: FetchResult) -> None:
        """Log an exception of a middleware or of our code, once for each place."""
        # A missing descriptor or a dead proxy is no bug: its message says it all.
        if not isinstance(result, LocalFault):
            return
        error, middleware = result.error, breaking_middleware(result)
        if not (middleware or result.is_bug):
            return
        # The line that raised; there is none in an exception that was never raised.
        last = traceback.extract_tb(error.__traceback__)[-1:]
        place = f"{type(error)} {middleware or last}"
        if place in self._bugs or len(self._bugs) >= MAX_TRACEBACKS:
            return
        self._bugs.add(place)
        when = f"An exception was raised while {origin.robots_url} was fetched"
        if middleware:
            name = type(error).__name__
            when = (
                f"The downloader middleware {middleware} raised {name} ({one_line(error)}) for "
                f"{origin.robots_url}: while it does, all requests to such an origin "
                "fail. Let it pass requests for /robots.txt, whose meta has "
                "dont_obey_robotstxt"
            )
        # Not `exc_info`: the message of an exception may hold anything.
        raised = "".join(traceback.format_exception(error)).rstrip("\n")
        more = f":\n{raised}" if result.is_bug else ""
        log_lines(self._crawler, ERROR, f"{when}{more}")

    def truncated(self, origin: Origin) -> None:
        """Warn of a file over the size limit (Ours O24)."""
        stats.count(self._crawler, stats.TRUNCATED)
        text = (
            "%s is longer than ROBOTS1994_MAX_BYTES (%d): the whole lines within it are "
            "obeyed"
        )
        self._log(WARNING, text, origin, self._settings.max_bytes)

    def read_to_the_letter(self, origin: Origin, problems: tuple[Problem, ...]) -> None:
        """Warn of *problems* that open the site against its owner's intent, and log those
        that close it as information.
        """
        # O5 and others: to the letter is not always what the author meant.
        if opening := [it for it in problems if it.weakens_policy]:
            stats.count(self._crawler, stats.OPENS_SITE)
            is_split = any(it.is_split for it in opening)
            self._number_of_splits += is_split
            self._log(
                WARNING,
                "%s, line %d: %s%s Read to the letter, this opens what its owner likely "
                "meant to close.%s All problems: scrapy robots-lint %s",
                origin,
                *_first_and_count(opening),
                ' ROBOTS1994_READING = "cautious" obeys split records.' * is_split,
                origin.robots_url,
            )
        if closing := [it for it in problems if it.tightens_policy]:
            stats.count(self._crawler, stats.CLOSES_SITE)
            self._log(
                INFO,
                "%s, line %d: %s%s Read to the letter, this is stricter than its owner "
                "likely meant.",
                origin,
                *_first_and_count(closing),
            )

    def _closed(self) -> None:
        """Log how many origins refuse everything by a status, past the first warnings, and
        at how many the cautious reading would obey more.
        """
        for outcome, number in self._refusing.items():
            # Up to that number each has a warning of its own.
            if number > MAX_WARNINGS:
                row = outcome.row
                text = "%d origins answered %s for robots.txt: all their URLs %s"
                text += f"; {row.full_setting} opens them" * bool(row.setting)
                values = number, row.statuses, self._are_refused
                log_line(self._crawler, WARNING, text, *values)
        if self._number_of_splits:
            text = (
                "robots.txt of %s has lines for this robot below a blank line, which mean "
                'nothing in the literal reading; ROBOTS1994_READING = "cautious" obeys them'
            )
            origins = counted(self._number_of_splits, "origin")
            log_line(self._crawler, INFO, text, origins)

    def _effect(self, outcome: Outcome) -> str:
        """Return what *outcome* does to all URLs of an origin, and which setting decides."""
        is_open = outcome in self._settings.freshness.allowing
        return outcome.row.effect(is_open=is_open, refused=self._are_refused)

    def _log(self, level: int, text: str, origin: Origin, *values: object) -> None:
        """Log one line about the robots.txt of *origin*."""
        # The URL that a reader can open.
        log_line(self._crawler, level, text, origin.robots_url, *values)


def _first_and_count(problems: list[Problem]) -> tuple[int, str, str]:
    """Return the line and the words of the first of *problems*, and how many there are."""
    # More are not looked for: a hostile file could have 100,000.
    is_all = len(problems) < MAX_PROBLEMS
    count = f"{len(problems)}" if is_all else f"{MAX_PROBLEMS} or more"
    lines = f" ({count} such lines.)" if len(problems) > 1 else ""
    return problems[0].line, problems[0].sentence, lines


def _begins_as_markup(policy: Policy) -> bool:
    """Return whether the file of *policy* begins as a page of HTML or XML does."""
    robots = policy.robots
    return robots is not None and begins_as_markup(robots.text)


def _reason(result: FetchResult) -> str:
    """Return in a few words why a fetch made no policy."""
    match result:
        case FetchError():
            return f"{result.kind}: {result.detail}"
        case LocalFault(error):
            return f"{type(error).__name__}: {one_line(error)}"
        case Cancelled():
            return result.detail
    return f"HTTP {result.status}" + " through a proxy" * result.via_proxy
