"""The scenarios. Each function crawls with one of the middlewares, and reports the result."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from email.utils import formatdate
from typing import Any, Literal, NamedTuple

from tests.support import replies
from tests.support.crawl import (
    DAY,
    CrawlRequest,
    CrawlResult,
    crawl_over_time,
    start_crawl,
)
from tests.support.site import Site

Side = Literal["builtin", "ours"]
SIDES: tuple[Side, ...] = ("builtin", "ours")

IN_PROCESS = "tools.compare_builtin.in_process"
CLOSED = "User-agent: *\nDisallow: /\n"
PRIVATE = "User-agent: *\nDisallow: /private\n"
LIMIT = 512_000
HOSTS, MAX_ORIGINS = 30, 10
SLOW, HEALTHY, PAGES = 20, 10, 16
HUNG_SECONDS = 8.0
"""A crawl that takes longer than this counts as hung."""
QUIET_SECONDS = 5
"""If no request arrives for this long, the slow hosts send robots.txt."""


class Finding(NamedTuple):
    did: str
    ok: bool


class Scenario(NamedTuple):
    title: str
    wanted: str
    run: Callable[[Side], Finding]


SCENARIOS: list[Scenario] = []

Run = Callable[[Side], Finding]


def scenario(title: str, wanted: str) -> Callable[[Run], Run]:
    def register(run: Run) -> Run:
        SCENARIOS.append(Scenario(title, wanted, run))
        return run

    return register


def crawl(
    side: Side, urls: Sequence[str | CrawlRequest], **options: Any
) -> CrawlResult:
    """Crawl *urls*, and raise `RuntimeError` if the crawl does not start."""
    done = start_crawl(urls, middleware=side, **options).result()
    if done.error:
        raise RuntimeError(done.error)
    return done


def pages(site: Site) -> list[str]:
    """Return the requested pages as `host/path`, sorted."""
    seen = [it for it in site.log() if it.target != "/robots.txt"]
    return sorted({it.host.partition(":")[0] + it.target for it in seen})


def one_page(site: Site) -> Finding:
    """Judge a crawl that must fetch /page, but not /private."""
    targets = site.targets()
    fetched, missed = "/private" in targets, "/page" not in targets
    did = f"private page {'fetched' if fetched else 'refused'}"
    did += "; missed the allowed page" if missed else ""
    return Finding(did, not (fetched or missed))


def times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def listing(names: Sequence[str]) -> str:
    *front, last = names or ["none"]
    return f"{', '.join(front)} and {last}" if front else last


@scenario("six disallowed URLs of one host at once", "none is fetched")
def six_at_once(side: Side) -> Finding:
    with Site() as site:
        site.robots(PRIVATE, gate="six")
        site.robots(PRIVATE, at="another.test")
        urls = [site.url(f"/private/{number}") for number in range(6)]
        # Requests are sent in order, so the other six are already waiting when /allowed arrives.
        urls.append(site.url("/allowed", host="another.test"))
        site.open_when("six", "/allowed")
        crawl(side, urls)
        targets = site.targets()
    count = sum(target.startswith("/private") for target in targets)
    return Finding(f"fetched {count} of 6", "/allowed" in targets and not count)


@scenario(
    "the status of the robots.txt: 401, 403, 404 with a body, 503",
    "only the 404 opens its host",
)
def status(side: Side) -> Finding:
    bodies = {401: b"", 403: b"", 404: CLOSED.encode(), 503: b""}
    with Site() as site:
        for code, body in bodies.items():
            reply = replies.status(code, body, Content_Type="text/plain")
            site.answer("/robots.txt", reply, at=f"{code}.test")
        crawl(side, [site.url("/page", host=f"{code}.test") for code in bodies])
        fetched = [page.partition(".")[0] for page in pages(site)]
    return Finding(f"hosts opened: {listing(fetched)}", fetched == ["404"])


@scenario(
    "robots.txt times out, is reset, or redirects in a loop",
    "no page is fetched while its rules are unknown",
)
def failure(side: Side) -> Finding:
    with Site() as site:
        site.robots(PRIVATE, at="sound.test")
        loop = replies.redirect(site.url("/robots.txt", host="loop.test"))
        faults = {
            "timeout": replies.black_hole(),
            "reset": replies.reset(),
            "loop": loop,
        }
        for name, fault in faults.items():
            site.answer("/robots.txt", fault, at=f"{name}.test")
        urls = [site.url("/page", host=f"{name}.test") for name in (*faults, "sound")]
        settings = {"DOWNLOAD_TIMEOUT": 2, "ROBOTS1994_TIMEOUT": 2}
        crawl(side, urls, settings=settings)
        fetched = [page.partition(".")[0] for page in pages(site)]
    return Finding(f"hosts opened: {listing(fetched)}", fetched == ["sound"])


@scenario(
    "robots.txt redirects to a host outside allowed_domains",
    "the redirect is followed, and the rules are obeyed",
)
def redirect_off_site(side: Side) -> Finding:
    with Site() as site:
        site.robots(PRIVATE, at="elsewhere.test")
        elsewhere = site.url("/robots.txt", host="elsewhere.test")
        site.answer("/robots.txt", replies.redirect(elsewhere), at="asked.test")
        urls = [site.url(path, host="asked.test") for path in ("/private", "/page")]
        crawl(side, urls, spider_args={"allowed_domains": ["asked.test"]})
        return one_page(site)


@scenario(
    "one netloc under http and https; three spellings of one origin",
    "each scheme has its own policy; one request for all three spellings; no password "
    "is sent",
)
def origins(side: Side) -> Finding:
    """A proxy lets both schemes share one port."""
    spellings = ("one.test", "one.test:80", "user:secret@one.test")
    with Site(tls="valid") as site:
        secure = site.secure_url("/page", host="shared.test")
        plain = "http" + secure.removeprefix("https")
        site.robots("", at=plain.removesuffix("/page"))
        site.robots(CLOSED, at=secure.removesuffix("/page"))
        link = replies.html(f'<a href="{secure}">the same, with TLS</a>')
        site.answer("/page", link, at=plain.removesuffix("/page"))
        crawl(
            side,
            [plain, *(f"http://{name}/{it}" for it, name in enumerate(spellings))],
            settings={"SCENARIO_PROXY": site.url("")},
            hook=f"{IN_PROCESS}:through_proxy",
            spider_args={"follow": True},
        )
        log = site.log()
    schemes = {seen.scheme for seen in log if seen.target == "/page"}
    robots = [seen.host for seen in log if seen.target == "/robots.txt"]
    requests = [host for host in robots if "one.test" in host]
    sends_password = any("@" in host for host in requests)
    did = f"https page {'fetched' if 'https' in schemes else 'refused'}; "
    did += f"robots.txt requests for the three spellings: {len(requests)}"
    did += ", one with the password" if sends_password else ""
    right = schemes == {"http"} and len(requests) == 1 and not sends_password
    return Finding(did, right)


@scenario(
    "robots.txt changes; two days later, more pages are requested",
    "robots.txt is requested again, and obeyed",
)
def expiry(side: Side) -> Finding:
    with Site() as site:
        site.answer("/robots.txt", [replies.text(""), replies.text(CLOSED)])
        steps = ([site.url("/one")], 2 * DAY, [site.url("/two")], [site.url("/three")])
        crawl_over_time(*steps, middleware=side)
        requests, is_fetched = len(site.log("/robots.txt")), bool(site.log("/three"))
    did = f"requested {times(requests)}; the page that is now disallowed was "
    did += "fetched" if is_fetched else "refused"
    return Finding(did, requests == 2 and not is_fetched)


@scenario(
    f"{HOSTS} hosts, and a store for {MAX_ORIGINS}", f"at most {MAX_ORIGINS} in memory"
)
def memory(side: Side) -> Finding:
    settings = {"ROBOTS1994_STORE": f"memory://?max_origins={MAX_ORIGINS}"}
    with Site() as site:
        site.robots(PRIVATE)
        urls = [site.url("/", host=f"host-{number}.test") for number in range(HOSTS)]
        hook = f"{IN_PROCESS}:count_parsed"
        count = crawl(side, urls, settings=settings, hook=hook).stats["scenario/parsed"]
    return Finding(f"{count} parsed files in memory", count <= MAX_ORIGINS)


@scenario("pages that need a proxy", "robots.txt is requested through the same proxy")
def proxy(side: Side) -> Finding:
    with Site() as site:
        site.robots(PRIVATE)
        urls = [site.refused_url("/private"), site.refused_url("/page")]
        crawl(side, [CrawlRequest(url, meta={"proxy": site.url("")}) for url in urls])
        return one_page(site)


@scenario(
    "the User-Agent is one of the default request headers",
    "the record for the User-Agent actually sent decides",
)
def default_headers(side: Side) -> Finding:
    with Site() as site:
        site.robots("User-agent: rover\nDisallow: /private\n")
        settings = {"DEFAULT_REQUEST_HEADERS": {"User-Agent": "rover/1.0"}}
        crawl(side, [site.url("/private"), site.url("/page")], settings=settings)
        return one_page(site)


@scenario(
    f"{SLOW} hosts whose robots.txt is delayed, and {HEALTHY} healthy hosts",
    "all pages of the healthy hosts are fetched meanwhile",
)
def slow_and_healthy(side: Side) -> Finding:
    """Count the pages of healthy hosts that are requested before the first page of a slow host."""
    slow = [f"slow-{number}.test" for number in range(SLOW)]
    healthy = [f"healthy-{number}.test" for number in range(HEALTHY)]
    wanted = HEALTHY * PAGES
    with Site() as site:
        site.robots(PRIVATE)
        for host in slow:
            site.robots(PRIVATE, at=host, gate="slow")
        site.open_when("slow", "/healthy", count=wanted)
        urls = [site.url("/slow", host=host) for host in slow]
        urls += [site.url("/healthy", host=host) for host in healthy] * PAGES
        running = start_crawl(urls, middleware=side)
        seen, quiet = 0, 0
        while quiet < QUIET_SECONDS and not site.log("/slow"):
            time.sleep(1)
            now = len(site.log())
            quiet, seen = (quiet + 1, seen) if now == seen and now else (0, now)
        targets = site.targets()
        until = targets.index("/slow") if "/slow" in targets else None
        meanwhile = targets[:until].count("/healthy")
        site.open("slow")
        running.result()
        is_whole = (len(site.log("/healthy")), len(site.log("/slow"))) == (wanted, SLOW)
    did = f"{meanwhile} of {wanted} healthy pages requested meanwhile"
    did += "" if is_whole else "; lost pages"
    return Finding(did, meanwhile == wanted and is_whole)


@scenario(
    "HTTP cache on: a 503 in one run, a Disallow in the next",
    "the next run requests robots.txt again, and obeys it",
)
def http_cache(side: Side) -> Finding:
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": folder}
        yesterday = formatdate(time.time() - 86_400, usegmt=True)
        site.answer("/robots.txt", replies.status(503, Date=yesterday))
        urls = [site.url("/private"), site.url("/page")]
        crawl(side, urls, settings=cache)
        site.forget()
        site.robots(PRIVATE)
        second = crawl(side, urls, settings=cache)
        requests = len(site.log("/robots.txt"))
    did = f"requested again {times(requests)}; fetched {len(second.fetched)} of 2"
    return Finding(did, requests > 0 and second.fetched_urls == urls[1:])


@scenario("a robots.txt of 6 MB", "its lines are obeyed, and the crawl goes on")
def size_limit(side: Side) -> Finding:
    filler = b"".join(b"Disallow: /no/%07d\n" % number for number in range(300_000))
    with Site() as site:
        site.answer("/robots.txt", replies.text(PRIVATE.encode() + filler))
        urls = [site.url("/private"), site.url("/page")]
        stats = crawl(side, urls, hook=f"{IN_PROCESS}:record_pause").stats
        did, is_right = one_page(site)
    pause = stats["scenario/longest_pause"]
    return Finding(f"{did}; the crawl paused for {pause:.1f} s", is_right and pause < 1)


@scenario(
    "the coroutine that fetches robots.txt is cancelled",
    "the crawl ends, and no disallowed page is fetched",
)
def cancelled(side: Side) -> Finding:
    settings = {"DOWNLOADER_MIDDLEWARES": {f"{IN_PROCESS}.CancelRobots": 950}}
    with Site() as site:
        site.robots(PRIVATE)
        urls = [site.url(f"/private/{number}") for number in range(4)]
        running = start_crawl(urls, middleware=side, settings=settings)
        is_hung = threading.Event()

        def kill() -> None:
            is_hung.set()
            os.kill(running.pid, signal.SIGKILL)

        timer = threading.Timer(HUNG_SECONDS, kill)
        timer.start()
        try:
            running.result()
        except AssertionError:
            if not is_hung.is_set():
                raise
        timer.cancel()
        count = len(pages(site))
    how = "waits forever" if is_hung.is_set() else "the crawl ended"
    return Finding(f"{how}; fetched {count} of 4", not is_hung.is_set() and not count)


@scenario(
    "what the log says when robots.txt cannot be fetched",
    "one line that names the robots.txt, no traceback",
)
def failure_log(side: Side) -> Finding:
    with Site() as site:
        site.answer("/robots.txt", replies.reset())
        robots = site.url("/robots.txt")
        lines = crawl(side, [site.url("/page")]).log.split("\n")
    tracebacks = sum(line.startswith("Traceback") for line in lines)
    loud = [line for line in lines if "] WARNING: " in line or "] ERROR: " in line]
    named = sum(robots in line for line in loud)
    did = f"tracebacks: {tracebacks}; "
    did += f"{named} of {len(loud)} warnings and errors name the robots.txt"
    return Finding(did, named > 0 and not tracebacks)


@scenario("what a refusal says", "the line and the rule that refused")
def refusal(side: Side) -> Finding:
    with Site() as site:
        site.robots("# a comment\n" + PRIVATE)
        done = crawl(side, [site.url("/private/page")])
    said = 'line 3, "Disallow: /private"'
    message = done.failed[0].message if done.failed else ""
    is_logged = any(said in line for line in done.log.split("\n"))
    did = f"the exception says \u201c{message}\u201d, "
    did += f"the log names {'the' if is_logged else 'no'} line"
    return Finding(did, said in message and is_logged)
