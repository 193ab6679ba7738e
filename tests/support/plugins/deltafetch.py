"""Components for crawls with scrapy-deltafetch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_deltafetch import DeltaFetch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.http import Response


class AnyDeltaFetch(DeltaFetch):  # type: ignore[misc]  # without annotations
    """DeltaFetch for newer versions of Scrapy.

    With newer versions of Scrapy, the original middleware of scrapy-deltafetch 2.1.0 does
    not start.
    """

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        """Yield the results of `process_spider_output`, the method for older versions of
        Scrapy.
        """
        results = [each async for each in result]
        for each in self.process_spider_output(response, results, spider):
            yield each
