"""The order in which requests leave that waited for a robots.txt: nothing is starved.

The order is judged by the server's log: how many less urgent pages it was asked for
before the last of the more urgent ones.
"""

from __future__ import annotations

from typing import Any

from tests.support.crawl import CrawlRequest, Reactor, crawl, reactors
from tests.support.left_out import table
from tests.support.site import Site

MANY = 150
CONCURRENCY = 2
SETTINGS: dict[str, Any] = {"CONCURRENT_REQUESTS": CONCURRENCY}
QUEUES = [
    "scrapy.pqueues.ScrapyPriorityQueue",
    "scrapy.pqueues.DownloaderAwarePriorityQueue",
]
on_each = table(
    ("reactor", "queue"),
    *((reactor, QUEUES[0]) for reactor in reactors()),
    (reactors()[0], QUEUES[1]),
)


def test_waiting_requests_are_not_overtaken_by_less_urgent_ones(
    site: Site, reactor: Reactor
) -> None:
    """Once their policy is known, they leave before what the scheduler still has.

    So it is in a queue by priority; the other one takes turns between hosts.
    """
    site.robots("", at="urgent.test", gate="known")
    # The policy of the others is known by then, so they pass at once.
    site.open_when("known", "/less", count=10)
    urgent = [
        CrawlRequest(site.url(f"/{number}", host="urgent.test"), priority=1)
        for number in range(MANY)
    ]
    less = [
        CrawlRequest(site.url("/less", host="less.test"), {"page": number})
        for number in range(2 * MANY)
    ]
    result = crawl(
        [*urgent, *less],
        settings=SETTINGS | {"SCHEDULER_PRIORITY_QUEUE": QUEUES[0]},
        reactor=reactor,
    )
    hosts = [seen.host.partition(".")[0] for seen in site.log()]

    assert len(result.fetched) == 3 * MANY
    pages = hosts[hosts.index("urgent") + 1 :]
    last = max(at for at, host in enumerate(pages) if host == "urgent")
    overtaking = pages[:last].count("less") - 10
    assert overtaking <= 10


@on_each
def test_scheduler_is_not_starved_while_waiting_requests_leave(
    site: Site, reactor: Reactor, queue: str
) -> None:
    """An urgent request that comes meanwhile is sent before most of them."""
    site.robots("", at="many.test", gate="known")
    site.open_when("known", "/known")
    many = [site.url(f"/many/{n}", host="many.test") for n in range(MANY)]
    known = CrawlRequest(site.url("/known", host="urgent.test"), priority=-1)
    urgent = [site.url(f"/urgent/{n}", host="urgent.test") for n in range(3)]
    result = crawl(
        [*many, known],
        spider="UrgentSpider",
        spider_args={"urgent": urgent},
        settings=SETTINGS | {"SCHEDULER_PRIORITY_QUEUE": queue},
        reactor=reactor,
    )
    targets = site.targets()

    assert len(result.fetched) == MANY + 4
    last = max(at for at, target in enumerate(targets) if "/urgent/" in target)
    assert sum("/many/" in target for target in targets[:last]) <= MANY // 2
