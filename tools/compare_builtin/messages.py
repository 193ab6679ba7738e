"""Scenarios about log messages and exceptions."""

from __future__ import annotations

from tests.support import replies
from tests.support.site import Site
from tools.compare_builtin.crawls import crawl
from tools.compare_builtin.registry import Finding, Side, scenario

FILE = "# a comment\nUser-agent: *\nDisallow: /private\n"
LINE, RULE = "line 3", "Disallow: /private"


@scenario(
    13,
    "what the log says when robots.txt cannot be fetched",
    "one line that names the robots.txt, no traceback",
)
def failure_log(side: Side) -> Finding:
    """Reset the connection; the log must say which robots.txt failed."""
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
    """Check the exception and the log for a page that the third line disallows."""
    with Site() as site:
        site.robots(FILE)

        done = crawl(side, [site.url("/private/page")])

    message = done.failed[0].message if done.failed else ""
    logged = any(LINE in line and RULE in line for line in done.log.split("\n"))
    named = LINE in message and RULE in message
    did = f"the exception says \u201c{message}\u201d, "
    did += "the log names the line" if logged else "the log names no line"
    return Finding(did, named and logged, {"message": message, "logged": logged})
