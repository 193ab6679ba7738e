"""The headers and meta of robots.txt requests."""

from __future__ import annotations

from tests.support.crawl import COMPONENTS, CrawlRequest, crawl
from tests.support.site import Site


def test_robots_txt_request_has_a_timeout_and_meta_of_its_own(site: Site) -> None:
    site.robots("User-agent: *\nDisallow:\n")
    url = site.url("/page").replace("http://", "http://user:secret@")
    headers = {"Referer": "http://secret.test/", "Cookie": "a=b"}
    meta = {"session": "s1", "bindaddress": "127.0.0.9", "allow_offsite": False}
    settings = {
        "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.RecordMeta": 899},
        "ROBOTS1994_TIMEOUT": 7,
        "ROBOTS1994_PROPAGATE_META": ["session", "allow_offsite"],
    }
    result = crawl([CrawlRequest(url, meta, headers)], settings=settings)

    assert result.stats["test/robots_meta"] == {
        "dont_obey_robotstxt": True,
        "allow_offsite": True,
        "download_timeout": 7,
        "is_robotstxt_request": True,
        "dont_redirect": True,
        "dont_retry": True,
        "handle_httpstatus_all": True,
        "download_maxsize": 2**23,
        "autothrottle_dont_adjust_delay": True,
        "callback": "NO_CALLBACK",
        "session": "s1",
    }
    (robots,) = site.log("/robots.txt")
    assert robots.headers.keys().isdisjoint({"cookie", "referer", "authorization"})
    # Ours 3.1: Scrapy would not notice that a compressed file is truncated.
    assert robots.headers["accept-encoding"] == "identity"
    assert robots.peer == "127.0.0.9"
