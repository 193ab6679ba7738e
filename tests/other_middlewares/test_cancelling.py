"""A page request cancelled in a real crawl, after every number of steps of its loop."""

from __future__ import annotations

from tests.support.crawl import CrawlRequest, crawl
from tests.support.site import Site

STEPS = 60
ENDS = {"200", "cancelled", "CancelledError"}


def test_cancelling_at_every_step_affects_no_other_request() -> None:
    """The other waiting request and a later one get their pages."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /closed\n")
        ask = CrawlRequest(site.url("/open", host="c{n}.test"), meta={"steps": STEPS})
        result = crawl(
            [ask],
            spider="tests.other_middlewares.parts:CancellingSpider",
            settings={"CONCURRENT_REQUESTS": 10},
        )
        asked = [seen.host for seen in site.log("/robots.txt")]

    *tries, slot = result.items
    assert [each["steps"] for each in tries] == list(range(STEPS))
    assert {each["ends"][0] for each in tries} <= ENDS
    assert {tuple(each["ends"][1:]) for each in tries} == {("200", "200")}
    assert {each["ends"][0] for each in tries[:2]} != {"200"}
    assert len(asked) == len(set(asked)) == STEPS
    assert slot == {"concurrency": 10}
    assert "Traceback" not in result.log
    assert "was destroyed" not in result.log
