"""Show that Scrapy's RobotsTxtMiddleware lets disallowed requests through.

Run ``python reproduce.py [NUMBER]`` with Scrapy 2.14 to 2.19. NUMBER is the number of URLs to
request, by default 6. A local server disallows everything, and sends robots.txt after half a
second. The exit code is 0 if no page was requested, 1 if disallowed pages were requested, and 2 if
robots.txt was never requested.
"""

import sys
import threading
import time
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

URLS = int(sys.argv[1]) if len(sys.argv) > 1 else 6
robots_requests: list[str] = []
requested: list[str] = []


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            robots_requests.append(self.path)
            time.sleep(0.5)
            body = b"User-agent: *\nDisallow: /\n"
        else:
            requested.append(self.path)
            body = b"a disallowed page"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=server.serve_forever, daemon=True).start()


class Leak(scrapy.Spider):
    name = "leak"
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": URLS,
        "CONCURRENT_REQUESTS_PER_DOMAIN": URLS,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
    }

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for number in range(URLS):
            yield scrapy.Request(f"http://127.0.0.1:{server.server_port}/{number}")

    def parse(self, response: Response) -> None:
        pass


if __name__ == "__main__":
    process = CrawlerProcess()
    process.crawl(Leak)
    process.start()
    print(f"Scrapy {scrapy.__version__}: {len(requested)} of {URLS} disallowed pages")
    sys.exit(2 if not robots_requests else 1 if requested else 0)
