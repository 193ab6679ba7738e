"""Run random crawls to show that no page is lost and no disallowed page is requested.

`python -m tools.proofs.random_crawls --first 1 --count 100` runs 100 crawls. The number of a crawl
is its random seed, so any crawl can be repeated. The robots.txt of a host is plain, compressed,
slow, absent or redirected, fails at first, or always fails. Pages are plain, redirect to other
hosts, fail once, are slow, or are disallowed. Concurrency, store, features, reactor and middlewares
vary. Middlewares may delay requests, replace them or make them fail. About a quarter of the crawls
are interrupted and resumed (JOBDIR), and another quarter are stopped after a number of pages and
resumed.

The program prints each crawl with its faults, and then the totals as JSON. `--show` also prints the
settings. A fault is, for example, a lost page, a request for a disallowed page, or an unexpected
traceback. The exit code is 1 if a crawl has a fault.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, reactors, start_crawl
from tests.support.site import Site
from tools.proofs.random_parts import ALL_YIELDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.replies import Reply

FILE = "User-agent: *\nDisallow: /private\nCrawl-delay: 0.03\n"
SOUND = replies.text(FILE)
FAILURES = (
    replies.status(503),
    replies.status(503, Retry_After="1"),
    replies.status(429, Retry_After="0"),
    replies.status(500),
    replies.status(408),
    replies.reset(),
    replies.hang_up(),
    replies.truncated(FILE.encode(), 500),
)
REFUSING = (
    replies.status(403),
    replies.status(503, Retry_After="100"),
    replies.redirect("/robots.txt"),
)
MODES = ("whole", "whole", "interrupted", "counted")
INTERRUPTIONS = 3
MAX_ROUNDS = 60
TIMEOUT_SECONDS = 300.0
MAX_SHOWN = 2_000

# Crawls with deliberate failures log tracebacks, so their logs are searched for BUGS, not FAULTS.
FAULTS = re.compile(
    r"(?m)^\S.*(?:Traceback|Unhandled|never retrieved|never awaited).*$"
)
BUGS = re.compile(
    r"Unhandled|never retrieved|KeyError|AssertionError|AttributeError|InvalidState"
)


@dataclass(slots=True)
class Plan:
    mode: str
    settings: dict[str, Any]
    requests: list[CrawlRequest] = field(default_factory=list)
    expected: set[tuple[str, str]] = field(default_factory=set)
    policies: dict[str, str] = field(default_factory=dict)

    @property
    def fails_on_purpose(self) -> bool:
        return "FAILING_SHARE" in self.settings

    def allows(self, host: str, path: str) -> bool:
        policy = self.policies[host]
        is_private = path.startswith("/private")
        return policy == "none" or (policy == "file" and not is_private)


def robots_of(
    host: str, site: Site, dice: random.Random, *, is_failed: bool
) -> tuple[str, Sequence[Reply]]:
    """Return the policy that *host* ends up with, and its responses to robots.txt requests.

    If *is_failed* is true, a middleware may make one of these requests fail.
    """
    compressed = replies.Reply(
        body=gzip.compress(FILE.encode()), headers=(("Content-Encoding", "gzip"),)
    )
    slow = replies.Reply(body=FILE.encode(), delay=dice.choice((0.1, 0.3)))
    elsewhere = replies.redirect(site.url("/rules.txt", host=f"rules-{host}"))
    fails = [dice.choice(FAILURES), dice.choice(FAILURES)]
    if is_failed:
        # The middleware may add a failure, and the pause after a third failure is 15 s (Ours 3.1).
        del fails[1:]
    return dice.choice(
        (
            ("file", [SOUND]),
            ("file", [SOUND]),
            ("file", [compressed]),
            ("file", [slow]),
            ("file", [elsewhere]),
            ("file", [fails[0], SOUND]),
            ("file", [*fails, SOUND]),
            ("none", [replies.status(404)]),
            ("refused", [dice.choice(REFUSING)]),
        )
    )


def settings_of(seed: int, folder: Path, dice: random.Random) -> dict[str, Any]:
    """Return random settings without JOBDIR and CLOSESPIDER_PAGECOUNT, which depend on the mode."""
    chosen: dict[str, Any] = {
        "RETRY_ENABLED": True,
        "RETRY_TIMES": dice.choice((3, 5)),
        "CONCURRENT_REQUESTS": dice.choice((1, 2, 8, 16)),
        "CONCURRENT_REQUESTS_PER_DOMAIN": dice.choice((1, 2, 8)),
        "DOWNLOAD_DELAY": dice.choice((0, 0, 0, 0.01)),
        "REDIRECT_PRIORITY_ADJUST": dice.choice((2, -2)),
        "ROBOTS1994_MAX_WAITING": dice.choice((1, 2, 5, 1000)),
        "ROBOTS1994_STORE": dice.choice(
            (
                "memory://",
                "memory://?max_origins=1&max_bytes=2000",
                f"sqlite:///{folder}/robots.db",
            )
        ),
    }
    middlewares: dict[str, int] = {}
    if dice.random() < 1 / 3:
        middlewares["FailingMiddleware"] = dice.choice((10, 50, 200, 750, 950))
        # With 15 retries, every request eventually succeeds.
        chosen |= {"FAILING_SEED": seed, "FAILING_SHARE": 0.03, "RETRY_TIMES": 15}
    for name, share in (("ReplacingMiddleware", 0.2), ("SlowMiddleware", 0.4)):
        if dice.random() < share:
            middlewares[name] = dice.choice((40, 400))
    chosen["DOWNLOADER_MIDDLEWARES"] = {
        f"tools.proofs.random_parts.{name}": place
        for name, place in middlewares.items()
    }
    for share, extra in (
        (0.15, {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_MAX_DELAY": 0.05}),
        (0.15, {"ROBOTS1994_CRAWL_DELAY": True, "ROBOTS1994_DIALECT": "extended"}),
        (0.1, {"ROBOTS1994_PAGES": True}),
        (0.2, {"ROBOTS1994_PROPAGATE_META": ["download_slot"]}),
    ):
        if dice.random() < share:
            chosen |= extra
    return chosen


def plan_of(seed: int, site: Site, folder: Path) -> Plan:
    """Return a random plan, and set the answers of *site* for it."""
    dice = random.Random(seed)  # noqa: S311 - each crawl must be repeatable
    plan = Plan(dice.choice(MODES), settings_of(seed, folder, dice))
    if plan.mode != "whole":
        plan.settings["JOBDIR"] = str(folder / "job")
    for number in range(dice.choice((1, 2, 5, 20))):
        host = f"h{number}.test"
        plan.policies[host], responses = robots_of(
            host, site, dice, is_failed=plan.fails_on_purpose
        )
        site.answer("/robots.txt", responses, at=host)
        site.answer("/rules.txt", SOUND, at=f"rules-{host}")
    for page in range(dice.choice((3, 10, 30))):
        plan.requests += [
            _request(site, host, page, dice, plan) for host in plan.policies
        ]
    dice.shuffle(plan.requests)
    return plan


def _request(
    site: Site, host: str, page: int, dice: random.Random, plan: Plan
) -> CrawlRequest:
    """Return a request for a page of *host*, and set a random answer to it."""
    kind = dice.choice(
        ("plain", "plain", "private", "moved", "hidden", "slow", "fails")
    )
    path = f"/private{page}" if kind == "private" else f"/page{page}"
    is_allowed = plan.allows(host, path)
    if is_allowed:
        plan.expected.add((host, path))
    other = dice.choice(list(plan.policies))
    target = f"/{'private' if kind == 'hidden' else 'moved'}-{page}-{host}"
    if kind in {"moved", "hidden"}:
        site.answer(path, replies.redirect(site.url(target, host=other)), at=host)
    if kind in {"moved", "hidden"} and is_allowed and plan.allows(other, target):
        plan.expected.add((other, target))
    if kind == "slow":
        site.answer(path, replies.Reply(body=b"<html>", delay=0.2), at=host)
    if kind == "fails":
        site.answer(path, [replies.status(503), replies.html("page")], at=host)
    meta: dict[str, Any] = {"is_unique": dice.random() < 1 / 2}
    if dice.random() < 1 / 5:
        meta["download_slot"] = dice.choice("ab")
    return CrawlRequest(
        site.url(path, host=host),
        meta=meta,
        priority=dice.choice((0, 0, 5, -3)),
        headers={"User-Agent": "other/1.0"} if dice.random() < 1 / 10 else {},
    )


def rounds_of(plan: Plan, seed: int) -> list[CrawlResult]:
    """Run the crawl, resume it until it finishes, and return the result of each run."""
    dice = random.Random(-seed)  # noqa: S311 - each crawl must be repeatable
    known = reactors()
    results: list[CrawlResult] = []
    while len(results) < MAX_ROUNDS:
        settings = dict(plan.settings)
        if plan.mode == "counted":
            settings["CLOSESPIDER_PAGECOUNT"] = dice.choice((5, 20, 50))
        running = start_crawl(
            # A resumed crawl gets its requests from the scheduler.
            [] if results else plan.requests,
            spider="tools.proofs.random_parts:RandomSpider",
            settings=settings,
            reactor=known[seed % len(known)],
            timeout=TIMEOUT_SECONDS,
            may_warn=True,
        )
        if plan.mode == "interrupted" and len(results) < INTERRUPTIONS:
            running.wait_for(ALL_YIELDED)
            time.sleep(dice.choice((0, 0.05, 0.3, 0.6, 1.0)))
            with suppress(ProcessLookupError):
                os.kill(running.pid, signal.SIGINT)
        results.append(running.result())
        is_over = results[-1].stats.get("finish_reason") == "finished"
        if plan.mode == "whole" or is_over or results[-1].error:
            break
    return results


def faults_of(plan: Plan, site: Site, results: list[CrawlResult]) -> list[str]:
    seen = {(each.host.partition(":")[0], each.target) for each in site.log()}
    found = [
        f"disallowed: {host}{path}"
        for host, path in sorted(seen)
        if host in plan.policies
        and path != "/robots.txt"
        and not plan.allows(host, path)
    ]
    found += [f"lost: {host}{path}" for host, path in sorted(plan.expected - seen)]
    first = results[0]
    if plan.mode == "whole":
        ended = len(first.fetched) + len(first.failed)
        ended += first.stats.get("dupefilter/filtered", 0)
        if ended != len(plan.requests):
            found.append(f"{ended} of {len(plan.requests)} requests ended")
    bugs = BUGS if plan.fails_on_purpose else FAULTS
    for result in results:
        found += [f"log: {line}" for line in bugs.findall(result.log)[:3]]
        if result.error:
            found.append(f"error: {result.error}")
        if result.returncode not in {0, -signal.SIGINT}:
            found.append(f"exit code: {result.returncode}")
    return found


def print_progress(*lines: str) -> None:
    print(*lines, sep="\n    ", file=sys.stderr)  # noqa: T201 - progress


def prove(first: int, count: int, *, show: bool) -> dict[str, Any]:
    faulty, requests, rounds = [], 0, 0
    for seed in range(first, first + count):
        with Site() as site, tempfile.TemporaryDirectory() as folder:
            plan = plan_of(seed, site, Path(folder))
            if show:
                print_progress(json.dumps(plan.settings, indent=1))
            try:
                results = rounds_of(plan, seed)
                faults = faults_of(plan, site, results)
            except AssertionError as error:
                # The crawl has no result, and the message ends with its log.
                results, faults = [], [f"no result: {str(error)[-MAX_SHOWN:]}"]
        requests += len(plan.requests)
        rounds += len(results)
        size = f"{len(plan.requests)} requests, {len(results)} rounds"
        print_progress(f"{seed} {plan.mode}, {size}", *faults)
        if faults:
            faulty.append(seed)
    return {"crawls": count, "rounds": rounds, "requests": requests, "faulty": faulty}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    totals = prove(args.first, args.count, show=args.show)
    print(json.dumps(totals))  # noqa: T201 - program output
    return 1 if totals["faulty"] else 0


if __name__ == "__main__":
    sys.exit(main())
