"""Scenarios about who asks whom: origins, proxies, the name of the robot."""

from __future__ import annotations

from scenarios.crawls import (
    CLOSED,
    IN_CRAWL,
    PRIVATE,
    crawl,
    listing,
    pages,
    unless,
    verb,
)
from scenarios.registry import Finding, Side, scenario
from tests.support import replies
from tests.support.crawl import Ask
from tests.support.site import Site

ONE = ("one.test", "one.test:80", "user:secret@one.test")
"""One origin, three spellings."""


@scenario(
    5,
    "one netloc under http and https; three spellings of one origin",
    "a policy for each scheme, one request for the three, no password sent",
)
def origins(side: Side) -> Finding:
    """Plain http goes through a proxy, so that both schemes can share one port."""
    with Site(tls="valid") as site:
        secure = site.secure_url("/page", host="shared.test")
        plain = "http" + secure.removeprefix("https")
        site.robots("", at=plain.removesuffix("/page"))
        site.robots(CLOSED, at=secure.removesuffix("/page"))
        link = replies.html(f'<a href="{secure}">the same, with TLS</a>')
        site.answer("/page", link, at=plain.removesuffix("/page"))

        crawl(
            side,
            [plain, *(f"http://{name}/{number}" for number, name in enumerate(ONE))],
            {"SCENARIO_PROXY": site.url("")},
            hook=f"{IN_CRAWL}:through_proxy",
            spider_args={"follow": True},
        )

        log = site.log()
    pages_seen = {seen.scheme for seen in log if seen.target == "/page"}
    fetched, control = "https" in pages_seen, "http" in pages_seen
    robots = [seen.host for seen in log if seen.target == "/robots.txt"]
    asked = [host for host in robots if "one.test" in host]
    password = any("@" in host for host in asked)
    did = f"https page {'fetched by the http policy' if fetched else 'refused'}; "
    did += f"{len(asked)} requests for the three"
    did += ", one with the password" if password else ""
    did += unless(control, "missed the http page")
    facts = {"https_fetched": fetched, "requests": len(asked), "password": password}
    right = control and not fetched and len(asked) == 1 and not password
    return Finding(did, right, facts)


@scenario(
    7,
    "pages that only a proxy reaches",
    "robots.txt is asked for through the same proxy",
)
def proxy(side: Side) -> Finding:
    """The request's own proxy is the one way to the host."""
    with Site() as site:
        site.robots(PRIVATE)
        meta = {"proxy": site.url("")}
        urls = [site.refused_url("/private"), site.refused_url("/page")]

        crawl(side, [Ask(url, meta=meta) for url in urls])

        asked = any(seen.proxied for seen in site.log("/robots.txt"))
        fetched = sorted(page.partition("/")[2] for page in pages(site))
    did = f"robots.txt {'asked' if asked else 'never asked'} through it; "
    did += f"fetched {listing(fetched)}"
    facts = {"asked_through_proxy": asked, "fetched": fetched}
    return Finding(did, asked and fetched == ["page"], facts)


@scenario(
    8,
    "the User-Agent is one of the default request headers",
    "the record for the name that is sent decides",
)
def default_headers(side: Side) -> Finding:
    """The robots.txt forbids the robot whose name is sent, and nobody else."""
    with Site() as site:
        site.robots("User-agent: rover\nDisallow: /private\n")
        sent_by_default = {"DEFAULT_REQUEST_HEADERS": {"User-Agent": "rover/1.0"}}
        crawl(side, [site.url("/private"), site.url("/page")], sent_by_default)

        log = site.log()
    sent = sorted({seen.headers.get("user-agent", "") for seen in log})
    targets = {seen.target for seen in log}
    fetched, control = "/private" in targets, "/page" in targets
    did = f"sent {listing(sent)}; {verb(fetched)}"
    did += unless(control, "missed the open page")
    return Finding(did, control and not fetched, {"sent": sent, "fetched": fetched})
