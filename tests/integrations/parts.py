"""Components of other plugins, as crawls of these tests load them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_deltafetch import DeltaFetch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.http import Response


class AnyDeltaFetch(DeltaFetch):  # type: ignore[misc]  # it has no types
    """scrapy-deltafetch for newer Scrapy, which 2.1.0 by itself stops at the start."""

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        """What its method for older Scrapy says."""
        results = [each async for each in result]
        for each in self.process_spider_output(response, results, spider):
            yield each
