"""Scenarios about origins, proxies and the name of the robot."""

from __future__ import annotations

from tests.support import replies
from tests.support.crawl import CrawlRequest
from tests.support.site import Site
from tools.compare_builtin.crawls import (
    CLOSED,
    IN_PROCESS,
    PRIVATE,
    crawl,
    listing,
    pages,
    unless,
    verb,
)
from tools.compare_builtin.registry import Finding, Side, scenario

SPELLINGS = ("one.test", "one.test:80", "user:secret@one.test")
"""Three spellings of one origin."""


@scenario(
    5,
    "one netloc under http and https; three spellings of one origin",
    "a policy for each scheme, one request for the three, no password sent",
)
def origins(side: Side) -> Finding:
    """Send http requests through a proxy, so that http and https can share one port."""
    with Site(tls="valid") as site:
        secure = site.secure_url("/page", host="shared.test")
        plain = "http" + secure.removeprefix("https")
        site.robots("", at=plain.removesuffix("/page"))
        site.robots(CLOSED, at=secure.removesuffix("/page"))
        link = replies.html(f'<a href="{secure}">the same, with TLS</a>')
        site.answer("/page", link, at=plain.removesuffix("/page"))

        crawl(
            side,
            [
                plain,
                *(f"http://{name}/{number}" for number, name in enumerate(SPELLINGS)),
            ],
            {"SCENARIO_PROXY": site.url("")},
            hook=f"{IN_PROCESS}:through_proxy",
            spider_args={"follow": True},
        )

        log = site.log()
    pages_seen = {seen.scheme for seen in log if seen.target == "/page"}
    fetched, control = "https" in pages_seen, "http" in pages_seen
    robots = [seen.host for seen in log if seen.target == "/robots.txt"]
    requests = [host for host in robots if "one.test" in host]
    password = any("@" in host for host in requests)
    did = f"https page {'fetched by the http policy' if fetched else 'refused'}; "
    did += f"{len(requests)} requests for the three"
    did += ", one with the password" if password else ""
    did += unless(control, "missed the http page")
    facts = {"https_fetched": fetched, "requests": len(requests), "password": password}
    right = control and not fetched and len(requests) == 1 and not password
    return Finding(did, right, facts)


@scenario(
    7,
    "pages that only a proxy reaches",
    "robots.txt is requested through the same proxy",
)
def proxy(side: Side) -> Finding:
    """Crawl a host that only the proxy in the meta of each request can reach."""
    with Site() as site:
        site.robots(PRIVATE)
        meta = {"proxy": site.url("")}
        urls = [site.refused_url("/private"), site.refused_url("/page")]

        crawl(side, [CrawlRequest(url, meta=meta) for url in urls])

        requested = any(seen.proxied for seen in site.log("/robots.txt"))
        fetched = sorted(page.partition("/")[2] for page in pages(site))
    did = f"robots.txt {'requested' if requested else 'never requested'} through it; "
    did += f"fetched {listing(fetched)}"
    facts = {"asked_through_proxy": requested, "fetched": fetched}
    return Finding(did, requested and fetched == ["page"], facts)


@scenario(
    8,
    "the User-Agent is one of the default request headers",
    "the record for the name that is sent decides",
)
def default_headers(side: Side) -> Finding:
    """Serve a robots.txt with rules only for the robot name in the User-Agent header."""
    with Site() as site:
        site.robots("User-agent: rover\nDisallow: /private\n")
        sent_by_default = {"DEFAULT_REQUEST_HEADERS": {"User-Agent": "rover/1.0"}}
        crawl(side, [site.url("/private"), site.url("/page")], sent_by_default)

        log = site.log()
    sent = sorted({seen.headers.get("user-agent", "") for seen in log})
    targets = {seen.target for seen in log}
    fetched, control = "/private" in targets, "/page" in targets
    did = f"sent {listing(sent)}; {verb(fetched)}"
    did += unless(control, "missed the allowed page")
    return Finding(did, control and not fetched, {"sent": sent, "fetched": fetched})
