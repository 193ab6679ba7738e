"""The test for Scrapy's suite: every request that waits gets the same parser.

It fails on Scrapy 2.14 to 2.19 as released and passes with ``fix.diff`` applied. Run
``pytest --noconftest test_robotstxt_concurrent.py`` from this folder.
"""

import asyncio
from unittest import mock

import pytest
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, TextResponse
from scrapy.settings import Settings


def test_requests_that_wait_for_one_file_are_all_refused():
    """Five requests wait while robots.txt, which disallows them, is downloaded."""

    async def crawl():
        answered = asyncio.Event()

        async def download(request):
            await answered.wait()
            return TextResponse(request.url, body=b"User-agent: *\nDisallow: /\n")

        crawler = mock.MagicMock()
        crawler.settings = Settings({"ROBOTSTXT_OBEY": True})
        crawler.engine.download_async = download
        crawler.signals.send_catch_log_async = mock.AsyncMock()
        middleware = RobotsTxtMiddleware(crawler)
        waiting = [
            asyncio.ensure_future(
                middleware.process_request(Request(f"http://site.example/{number}"))
            )
            for number in range(5)
        ]
        await asyncio.sleep(0)
        answered.set()
        return await asyncio.gather(*waiting, return_exceptions=True)

    with mock.patch(
        "scrapy.downloadermiddlewares.robotstxt.maybe_deferred_to_future",
        lambda deferred: deferred.asFuture(asyncio.get_running_loop()),
    ):
        results = asyncio.run(crawl())

    assert [type(result) for result in results] == [IgnoreRequest] * 5


if __name__ == "__main__":
    raise SystemExit(pytest.main(["--noconftest", __file__]))
