"""Scenarios in which the answer to /robots.txt is not a plain 200, and scenarios about
messages.
"""

from __future__ import annotations

from tests.support import replies
from tests.support.site import Site
from tools.compare_builtin.crawls import (
    CLOSED,
    PRIVATE,
    behind,
    crawl,
    pages,
    times,
    unless,
    verb,
)
from tools.compare_builtin.registry import Finding, Side, scenario

FILE = "# a comment\nUser-agent: *\nDisallow: /private\n"
LINE, RULE = "line 3", "Disallow: /private"


@scenario(
    2,
    "the status of the robots.txt: 401, 403, 404 with a body, 503",
    "only the 404 opens its host",
)
def status(side: Side) -> Finding:
    """Crawl four hosts. The body of the 404 looks like a file that disallows everything."""
    bodies = {401: b"", 403: b"", 404: CLOSED.encode(), 503: b""}
    with Site() as site:
        for code, body in bodies.items():
            reply = replies.status(code, body, Content_Type="text/plain")
            site.answer("/robots.txt", reply, at=f"{code}.test")

        crawl(side, [site.url("/page", host=f"{code}.test") for code in bodies])

        fetched = sorted({page.partition(".")[0] for page in pages(site)})
    did = behind(fetched)
    return Finding(did, fetched == ["404"], {"fetched_behind": fetched})


@scenario(
    3,
    "robots.txt times out, is reset, or redirects in a loop",
    "unknown is not allowed: no page is fetched",
)
def failure(side: Side) -> Finding:
    """Crawl three hosts whose robots.txt cannot be fetched, and one host without a fault."""
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

        crawl(side, urls, {"DOWNLOAD_TIMEOUT": 2, "ROBOTS1994_TIMEOUT": 2})

        fetched = sorted(page.partition(".")[0] for page in pages(site))
        loop_requests = sum(
            seen.host.startswith("loop") for seen in site.log("/robots.txt")
        )
    wrong = [name for name in fetched if name != "sound"]
    control = "sound" in fetched
    did = f"{behind(wrong)}; requested the loop {times(loop_requests)}"
    did += unless(control, "missed an allowed page")
    facts = {"fetched_behind": wrong, "loop_requests": loop_requests}
    return Finding(did, control and not wrong, facts)


@scenario(
    4,
    "robots.txt redirects to a host outside allowed_domains",
    "the redirect is followed, its rules are obeyed",
)
def redirect_off_site(side: Side) -> Finding:
    """Redirect robots.txt to another host, as some sites behind a CDN do."""
    with Site() as site:
        site.robots(PRIVATE, at="elsewhere.test")
        elsewhere = site.url("/robots.txt", host="elsewhere.test")
        site.answer("/robots.txt", replies.redirect(elsewhere), at="asked.test")
        only = {"allowed_domains": ["asked.test"]}

        urls = [site.url(path, host="asked.test") for path in ("/private", "/page")]
        crawl(side, urls, spider_args=only)

        followed = any(seen.host.startswith("else") for seen in site.log())
        targets = site.targets()
    fetched, control = "/private" in targets, "/page" in targets
    did = f"{'followed' if followed else 'not followed'}; {verb(fetched)}"
    did += unless(control, "missed the allowed page")
    facts = {"followed": followed, "fetched": fetched}
    return Finding(did, followed and control and not fetched, facts)


@scenario(
    15,
    "the robots.txt is an HTML page with a meta refresh",
    "the refresh is not followed",
)
def meta_refresh(side: Side) -> Finding:
    """Serve an HTML page as robots.txt. This HTML page redirects browsers to another
    page.
    """
    refresh = '<meta http-equiv="refresh" content="0; url=/elsewhere">'
    with Site() as site:
        site.answer("/robots.txt", replies.html(f"<html><head>{refresh}</head></html>"))
        site.answer("/elsewhere", replies.text(CLOSED))

        crawl(side, [site.url("/page")])

        targets = site.targets()
    followed, fetched = "/elsewhere" in targets, "/page" in targets
    did = "took /elsewhere for the robots.txt" if followed else "not followed"
    did += f"; {verb(fetched, welcome=True)}"
    return Finding(
        did, fetched and not followed, {"followed": followed, "fetched": fetched}
    )


@scenario(
    13,
    "what the log says when robots.txt cannot be fetched",
    "one line that names the robots.txt, no traceback",
)
def failure_log(side: Side) -> Finding:
    """Reset each connection of a robots.txt request. The log must contain the URL of the
    robots.txt that failed.
    """
    with Site() as site:
        site.answer("/robots.txt", replies.reset())
        robots = site.url("/robots.txt")

        lines = crawl(side, [site.url("/page")]).log.split("\n")

    traceback = sum(line.startswith("Traceback") for line in lines)
    loud = [line for line in lines if "] WARNING: " in line or "] ERROR: " in line]
    named = sum(robots in line for line in loud)
    did = f"tracebacks: {traceback}; "
    did += f"{named} of {len(loud)} warnings and errors name the robots.txt"
    facts = {"tracebacks": traceback, "loud": len(loud), "named": named}
    return Finding(did, named > 0 and not traceback, facts)


@scenario(
    14,
    "what a refusal says",
    "the line and the rule that refused",
)
def refusal(side: Side) -> Finding:
    """Check the exception and the log for a page that line 3 of robots.txt disallows."""
    with Site() as site:
        site.robots(FILE)

        done = crawl(side, [site.url("/private/page")])

    message = done.failed[0].message if done.failed else ""
    logged = any(LINE in line and RULE in line for line in done.log.split("\n"))
    named = LINE in message and RULE in message
    did = f"the exception says \u201c{message}\u201d, "
    did += "the log names the line" if logged else "the log names no line"
    return Finding(did, named and logged, {"message": message, "logged": logged})
