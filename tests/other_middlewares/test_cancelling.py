"""Page requests of a real crawl, cancelled after any number of event loop steps."""

from __future__ import annotations

from tests.support.crawl import CrawlRequest, crawl
from tests.support.site import Site

STEPS = 60
OUTCOMES = {"200", "cancelled", "CancelledError"}


def test_cancelled_request_affects_no_other_request() -> None:
    """A second request that waits and a later third one fetch their pages."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /closed\n")
        request = CrawlRequest(
            site.url("/open", host="c{n}.test"), meta={"steps": STEPS}
        )
        result = crawl(
            [request],
            spider="tests.other_middlewares.parts:CancellingSpider",
            settings={"CONCURRENT_REQUESTS": 10},
        )
        hosts = [seen.host for seen in site.log("/robots.txt")]

    *tries, last_item = result.items
    assert [each["steps"] for each in tries] == list(range(STEPS))
    assert {each["ends"][0] for each in tries} <= OUTCOMES
    assert {tuple(each["ends"][1:]) for each in tries} == {("200", "200")}
    assert {each["ends"][0] for each in tries[:2]} != {"200"}
    assert len(hosts) == len(set(hosts)) == STEPS
    assert last_item == {"concurrency": 10}
    assert "Traceback" not in result.log
    assert "was destroyed" not in result.log
