"""Compare each decision of a crawl with the decisions of other parsers, in three steps.

1. `compare` runs on the event loop, and puts a question about each decision into a queue.
2. `_run` runs in one daemon thread, where the parsers answer the questions. If a parser
   computes for longer than `PARSER_SECONDS`, the comparison ends.
3. `_finish` runs when the crawl closes, and waits for the thread. The report contains the
   cause of a difference only if the thread has found it within `CLOSE_SECONDS`.
"""

import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from logging import ERROR, INFO, WARNING
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread, get_ident
from time import monotonic

from cachetools import LRUCache
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from scrapy_robots1994.compare.comparer import Comparer, Comparison
from scrapy_robots1994.compare.formats import check_folder, write_report
from scrapy_robots1994.compare.impact import SiteImpact, Totals, Variant
from scrapy_robots1994.compare.parsers import (
    Capture,
    Decision,
    Question,
    obeyed_body,
)
from scrapy_robots1994.compare.report import ComparisonReport, as_table, describe
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.peers import peers
from scrapy_robots1994.crawl.fetch import DownloadState, FetchObserver
from scrapy_robots1994.crawl.log import count, counted, log_line, log_lines
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.setting_types import PARSER_SETTING
from scrapy_robots1994.crawl.settings import RobotsSettings, fill_in_path
from scrapy_robots1994.crawl.threads import run_in_thread
from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.user_agent import robot_text
from scrapy_robots1994.policy.fetch_result import (
    HttpAnswer,
    unpacked,
)
from scrapy_robots1994.policy.outcomes import outcome_of
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.policy.unpacking import Undecodable

# `MAX_FILE_BYTES` limits the memory for the files that the other parsers read.
# `MAX_BODY_BYTES` limits the memory for the compressed bodies of answers whose status
# alone decides. `_ENTRY_BYTES` is added to each size, because a cache entry also contains
# data that is often larger than the body.
MAX_FILE_BYTES = 64_000_000
MAX_BODY_BYTES = 32_000_000
_ENTRY_BYTES = 500

MAX_QUEUED_BYTES = 64_000_000
"""Maximum total size, in bytes, of the queued questions and of the files that they are
about. While the queue exceeds this maximum, further questions are skipped.
"""

PARSER_SECONDS = 5.0
"""Maximum processor time, in seconds, that a parser may take to answer one question.
"""

CLOSE_SECONDS = 20.0
"""Maximum number of seconds that a closing crawl waits for the remaining answers and for
the causes of differences.
"""

_LOOK_SECONDS = 0.1


class ShadowComparison(FetchObserver):
    """Compares each decision of a crawl with the decisions of other parsers, and reports
    the differences when the crawl closes.

    In a normal crawl, this object observes fetches and decisions. In a dry run, `DryRun`
    calls `store_body` for each body that our parser does not read. `DryRun` also calls
    `compare` for each decision of Scrapy's middleware.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._robot = RobotName(crawler)
        self._variant = Variant(settings.dialect)
        self._is_dry_run = settings.dry_run
        self._max_bytes = settings.max_bytes
        # A dry run always compares with the parser of Scrapy's built-in middleware.
        wanted = (
            (PARSER_SETTING, *settings.compare)
            if settings.dry_run
            else settings.compare
        )
        # Load the parsers now, so that the crawl does not start if a parser cannot be
        # loaded.
        others = peers(wanted, crawler)
        self._parsers = tuple(others)
        self._comparer = Comparer(others, self._variant)
        self._totals = Totals(self._variant)
        # `_lock` protects the results. After the comparison has ended, the thread might
        # still be running, but must not change the results.
        self._lock = Lock()
        self._is_over = False
        # `_call` describes the current call of a parser in the thread. The tuple `_call`
        # contains the name of the parser, the label of the site, and the time when the
        # call began. The time when the call began is a time on the clock of the thread
        # (`_clock`).
        self._call: tuple[str, str, float] | None = None
        self._clock = monotonic
        # The report lists all robot names, because each request can have its own
        # User-Agent.
        self._robots: set[str] = set()
        # `_bodies` stores the body of each answer whose status alone decides. Other
        # parsers read the body of any answer as rules, even if our parser ignores it. The
        # bodies are compressed, because error pages compress well.
        self._bodies: LRUCache[Origin, bytes] = LRUCache(
            MAX_BODY_BYTES, lambda it: min(len(it) + _ENTRY_BYTES, MAX_BODY_BYTES)
        )
        # `_captures` stores each capture together with the `stated` object of its policy.
        # If a 304 answer confirms a policy, its `stated` object does not change, so the
        # capture is not new.
        self._captures: LRUCache[Origin, tuple[object, Capture]] = LRUCache(
            MAX_FILE_BYTES,
            lambda it: min(len(it[1].body) + _ENTRY_BYTES, MAX_FILE_BYTES),
        )
        self._queue: SimpleQueue[tuple[Comparison, bool, int] | None] = SimpleQueue()
        # Each of the following numbers is changed in only one thread.
        self._asked = self._queued_bytes = 0
        self._compared = self._compared_bytes = 0
        self._why_skipped = (
            "the parsers did not keep up, or the body of an answer was no longer stored"
        )
        self.unknown = 0
        """Number of requests in a dry run for which the decision of our middleware is not
        known.
        """
        # Use a daemon thread, so that the interpreter does not wait at exit for a parser
        # that never returns.
        self._thread = Thread(target=self._run, daemon=True)
        self.report_path = _report_path(settings.compare_report, crawler.spider)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def store_body(self, origin: Origin, body: bytes) -> None:
        """Store *body*, the body of a response from *origin*. The policy of *origin*
        depends only on the status of the response.
        """
        self._bodies[origin] = zlib.compress(body)

    def answered(
        self,
        download: DownloadState,
        request: Request,  # noqa: ARG002 - an argument of every observer
        response: Response,
    ) -> None:
        """Store the body of *response* if its status alone decides."""
        if outcome_of(response.status).row.reads_body:
            return
        answer = HttpAnswer(
            url=response.url,
            status=response.status,
            headers=response.headers,
            body=response.body,
            is_truncated=bool(download.cut),
        )
        # Do not store a body that cannot be unpacked. Our parser does not need the body,
        # because the status alone decides.
        with suppress(Undecodable):
            self.store_body(download.origin, unpacked(answer, self._max_bytes)[0])

    def decided(self, request: Request, _origin: Origin, found: object) -> None:
        """If *found* is a policy, compare its decision about *request* with the decisions
        of other parsers.
        """
        if isinstance(found, Policy):
            self.compare(found, request.url, self._robot.of(request))

    def compare(
        self,
        policy: Policy,
        url: str,
        robot: str | bytes,
        theirs: str | bytes = "",
        decided: Decision | None = None,
    ) -> None:
        """Queue the question of whether *robot* may fetch *url*. The thread compares the
        answer of *policy* with the answers of the other parsers.

        In a dry run, the other parsers decide for the robot name *theirs*. *decided* is the
        decision of Scrapy's middleware, whose parser is not asked.
        """
        self._asked += 1
        if self._is_over or self._has_hung():
            return
        stated, capture = self._captures.get(policy.origin, (None, None))
        is_new = stated is not policy.stated
        if is_new:
            capture = self._capture(policy)
        # If the thread is too slow, skip the question, so that no request waits for the
        # thread.
        is_full = self._queued_bytes - self._compared_bytes > MAX_QUEUED_BYTES
        if capture is None or is_full:
            return
        self._captures[policy.origin] = policy.stated, capture
        # Convert the name to text, because some parsers might accept only text.
        name = robot_text(robot)
        self._robots.add(name)
        others = robot_text(theirs)
        # Remove credentials from the URL, because users might share the report.
        shown = redact_credentials(url)
        question = Question(shown, name, "" if others == name else others)
        known = {} if decided is None else {self._parsers[0]: decided}
        # Do not look for causes now, because the file must be parsed many times to find a
        # cause. `_explain` looks for the causes later.
        task = Comparison(capture, (question,), diagnose=False, decided=known)
        size = _ENTRY_BYTES + len(shown) + (len(capture.body) if is_new else 0)
        self._queued_bytes += size
        self._queue.put((task, is_new, size))
        # Start the thread only with the first question, because a crawl without questions
        # does not need it.
        if self._thread.ident is None:
            self._thread.start()

    def _capture(self, policy: Policy) -> Capture | None:
        """Return the capture of *policy*. Return `None` if the body of the answer is needed
        but not stored.
        """
        if policy.robots is not None:
            return capture_of(policy, obeyed_body(policy.robots))
        if policy.status is None and not self._is_dry_run:
            # Ours R5 (unreachable): if the fetch failed, there is no body. Let the other
            # parsers read an empty file, as Scrapy's built-in middleware does.
            return capture_of(policy, b"")
        packed = self._bodies.get(policy.origin)
        return None if packed is None else capture_of(policy, zlib.decompress(packed))

    def _run(self) -> None:
        """Let the parsers answer the questions, then find the causes of differences."""
        self._clock = _processor_time()
        while (asked := self._queue.get()) is not None:
            self._compare(*asked)
        for site in self._totals.sites.values():
            if site.examples:
                self._explain(site)

    def _compare(self, task: Comparison, is_new: bool, size: int) -> None:  # noqa: FBT001 - an item of the queue
        """Compare the answers of the parsers to the question of *task*. *is_new* is true
        for the first question about the capture. *size* is the size of the question in
        bytes, including the file if *is_new* is true.
        """
        site = SiteImpact.of(task.capture)
        try:
            for name in self._parsers:
                self._call = name, task.capture.label, self._clock()
                site.add(self._comparer.compare(name, task))
        finally:
            # A parser in Rust can raise a `BaseException`, which ends this thread.
            # Without this line, `_has_hung` would then read the clock of a thread that
            # has ended.
            self._call = None
        with self._lock:
            if not self._is_over:
                self._totals.add_site(site, is_new)
                self._compared += 1
        self._compared_bytes += size

    def _explain(self, site: SiteImpact) -> None:
        """For each example of *site*, find the causes of the difference and the lines that
        make the parsers differ.
        """
        found = self._comparer.explain(site)
        with self._lock:
            if not self._is_over:
                site.examples = found
                site.count_causes()
                self._totals.causes.update(site.causes)

    def _has_hung(self, *, is_late: bool = False) -> bool:
        """Return whether a parser has exceeded its time limit. If a parser has exceeded
        the limit, end the comparison.

        If *is_late* is true, a parser that is still computing counts as too slow.
        """
        call = self._call
        if call is None:
            return False
        name, label, since = call
        if not is_late and self._clock() - since <= PARSER_SECONDS:
            return False
        with self._lock:
            self._is_over = True
        text = (
            "%s has not answered about robots.txt of %s in time, so the comparison of this "
            "crawl ends; remove the parser from ROBOTS1994_COMPARE"
        )
        log_line(self._crawler, WARNING, text, name, label)
        self._why_skipped = f"{name} did not answer in time"
        return True

    def _finish(self) -> None:
        """Wait up to `CLOSE_SECONDS` for the thread, and end the comparison.

        Do not call `compare` after a call of this method.
        """
        # `None` marks the end of the queue. The thread still processes the questions that
        # are in the queue before `None`.
        self._queue.put(None)
        end = monotonic() + CLOSE_SECONDS
        while self._thread.is_alive() and not (self._is_over or self._has_hung()):
            if monotonic() > end:
                limit = (
                    f"a closing crawl waits only {CLOSE_SECONDS:g} s for the parsers"
                )
                self._why_skipped = limit
                # On a busy machine, a parser can take longer than `CLOSE_SECONDS` to use
                # `PARSER_SECONDS` of processor time.
                self._has_hung(is_late=True)
                break
            self._thread.join(_LOOK_SECONDS)
        with self._lock:
            self._is_over = True

    def _report(self) -> ComparisonReport:
        """Return the report of the comparison, which must have ended."""
        self._totals.skipped = self._asked - self._compared
        notes = []
        if self.unknown:
            notes.append(
                f"Not compared: {self.unknown:,} requests about which our decision is not "
                "known. Our middleware would have requested robots.txt again, from "
                "another origin, or by another route, such as a proxy."
            )
        name = getattr(self._crawler.spider, "name", None) or "a spider"
        return ComparisonReport(
            subject=f"the crawl of {escape_control_chars(name)}",
            parsers=self._parsers,
            totals=self._totals,
            metadata=describe(
                self._variant,
                robots=", ".join(sorted(self._robots)),
                questions="the real requests of a crawl, each counted as often as it was "
                "decided, including retries",
            )
            | ({"dry run": "yes"} if self._is_dry_run else {}),
            is_sampled=True,
            has_answers=True,
            notes=tuple(notes),
        )

    async def _closed(self) -> None:
        """Log the table of the comparison, and write the report. If the report cannot be
        written, log an error.
        """
        # Wait in a thread, because other crawls might share the event loop.
        await run_in_thread(self._finish)
        report = self._report()
        for (name, way), number in report.totals.counts.items():
            parts = {"parser": name, "direction": way.value}
            count(self._crawler, stats.COMPARED, number, **parts)
        if report.totals.skipped:
            count(self._crawler, stats.UNCOMPARED, report.totals.skipped)
            text = "%s not compared with other parsers: %s"
            what = counted(report.totals.skipped, "decision")
            log_line(self._crawler, INFO, text, what, self._why_skipped)
        table = f"robots.txt compared, parser by parser:\n{as_table(report)}"
        log_lines(self._crawler, INFO, table)
        if self.report_path is None:
            return
        path = str(self.report_path)
        try:
            write_report(report, self.report_path)
        except OSError as error:
            text = "The comparison could not be written to %s: %s"
            log_line(self._crawler, ERROR, text, path, str(error))
        else:
            log_line(self._crawler, INFO, "The comparison was written to %s", path)


def _report_path(path: str | None, spider: Spider | None) -> Path | None:
    """Return *path*, the value of ROBOTS1994_COMPARE_REPORT, with its placeholders filled in.
    Create the folder of the path.

    Raise `SettingsError` if no file can be written to the folder, so that the crawl fails
    when it starts and not when it ends.
    """
    if path is None:
        return None
    filled = fill_in_path("COMPARE_REPORT", path, spider)
    try:
        check_folder(filled)
    except OSError as error:
        shown = escape_control_chars(str(filled), 400)
        raise SettingsError(
            f"ROBOTS1994_COMPARE_REPORT: cannot write {shown}: {error.strerror or error}; "
            "write the path of a file in a folder to which the crawl may write."
        ) from None
    return filled


def _processor_time() -> Callable[[], float]:
    """Return a clock that measures the processor time of the current thread. Return
    `monotonic` if the system cannot measure the processor time of one thread.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        return monotonic
    return partial(time.clock_gettime, time.pthread_getcpuclockid(get_ident()))


def capture_of(policy: Policy, body: bytes) -> Capture:
    """Return a capture of the answer from which *policy* was made. *body* is the body that
    the other parsers read.
    """
    label = str(policy.origin)
    if policy.robots is not None:
        return Capture(label, body)
    uniform = policy.rules("").verdict(f"{label}/")
    return Capture(label, body, uniform, policy.status)
