"""The spider of `tests/crawl/test_ports.py`, for `scrapy runspider`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import scrapy
from scrapy.http import Response


class PortsSpider(scrapy.Spider):
    name = "ports"
    custom_settings = {  # noqa: RUF012 - as users write it
        "ADDONS": {"scrapy_robots1994.Addon": 500},
        "ROBOTS1994_STORE": "sqlite:///robots.db",
        "TELNETCONSOLE_ENABLED": False,
    }
    ports: str

    async def start(self) -> AsyncIterator[Any]:
        for port in self.ports.split():
            for path in ("one", "two"):
                yield scrapy.Request(f"http://127.0.0.1:{port}/{path}")

    def parse(self, response: Response, **_: Any) -> None:
        """Ignore the page."""
