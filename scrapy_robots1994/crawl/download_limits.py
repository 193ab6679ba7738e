"""Stops a robots.txt download at its size limit or its time limit, whatever is sent.

Scrapy's own limit throws the whole body away; ours keeps what arrived, so that the
whole lines within the limit are obeyed (Ours O24). And a server that sends a byte a
second never lets a handler's silence timeout strike.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import StopDownload

from scrapy_robots1994.crawl import http_headers as headers
from scrapy_robots1994.crawl.concurrency import META_KEY, ConcurrencyCredits, Credit
from scrapy_robots1994.crawl.decompression import can_unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


# Where Scrapy undoes a content coding that we cannot (a library is missing): this many
# times the limit is unpacked at most, and past it the body counts as undecodable (R5).
UNPACKED_TIMES = 16


@dataclass(slots=True)
class DownloadState:
    """One robots.txt download: what arrived, and where it must stop."""

    max_bytes: int
    max_seconds: float
    started: float = field(default_factory=monotonic)
    received: int = 0
    is_cut: bool = False
    is_late: bool = False
    codings: tuple[str, ...] = ()
    seat: Credit = field(default_factory=lambda: Credit(is_taken=False))

    def start_over(self) -> None:
        """Forget what arrived: the request is sent, for the first time or again.

        A middleware that answers a challenge or hands back a new request copies the
        meta, and this object with it. Limits and codings are those of one response.
        """
        self.received = 0
        self.is_cut = self.is_late = False
        self.codings = ()


class DownloadLimits:
    """Watches the robots.txt downloads under way, and only while there are any.

    Page downloads pay nothing when no robots.txt is under way: the signal handlers are
    connected for the time of a fetch.
    """

    def __init__(self, crawler: Crawler, room: ConcurrencyCredits) -> None:
        self._signals = crawler.signals
        self._room = room
        self._watched = 0

    @contextmanager
    def watch(self, request: Request, progress: DownloadState) -> Iterator[None]:
        """Apply *progress* to the download of *request* while the block runs."""
        request.meta[META_KEY] = progress
        if not self._watched:
            self._signals.connect(self._bytes_received, signals.bytes_received)
            self._signals.connect(self._downloaded, signals.response_downloaded)
            self._signals.connect(self._left, signals.request_left_downloader)
        self._watched += 1
        try:
            yield
        finally:
            self._room.stand_up(progress.seat)
            self._watched -= 1
            if not self._watched:
                self._signals.disconnect(self._bytes_received, signals.bytes_received)
                self._signals.disconnect(self._downloaded, signals.response_downloaded)
                self._signals.disconnect(self._left, signals.request_left_downloader)

    def arrived(self, request: Request) -> None:
        """Give *request* a seat, now that the downloader counts it as active.

        Not earlier, and up again before the downloader forgets it: in between there
        would be places that nobody left, and too many pages on their way.
        """
        progress = request.meta.get(META_KEY)
        if not isinstance(progress, DownloadState):
            return
        progress.start_over()
        # What `_bytes_received` set for the response before, a copied meta still holds.
        request.meta["download_maxsize"] = 0
        # One that another middleware replaced never left the downloader: it sits still.
        if not progress.seat.is_taken:
            progress.seat = Credit(is_taken=self._room.take())

    def _left(self, request: Request) -> None:
        """Free the seat of a robots.txt request that is answered."""
        progress = request.meta.get(META_KEY)
        if isinstance(progress, DownloadState):
            self._room.stand_up(progress.seat)

    def _bytes_received(self, data: bytes, request: Request) -> None:
        """Stop the download when a limit is reached."""
        progress = request.meta.get(META_KEY)
        if not isinstance(progress, DownloadState):
            return
        # From here on only the decompression reads this key: handlers read it when the
        # headers arrive, and there it must be 0 (see `download.py`).
        request.meta["download_maxsize"] = progress.max_bytes * UNPACKED_TIMES
        if not progress.received:
            # What went before, the handler timed; most of it may be the slot's queue.
            progress.started = monotonic()
        progress.received += len(data)
        if progress.received > progress.max_bytes:
            progress.is_cut = True
            raise StopDownload(fail=False)
        if monotonic() - progress.started > progress.max_seconds:
            progress.is_late = True
            raise StopDownload(fail=True)

    def _downloaded(self, response: Response, request: Request) -> None:
        """Take the content coding over before any middleware sees the response."""
        progress = request.meta.get(META_KEY)
        if not isinstance(progress, DownloadState):
            return
        codings = headers.codings(response)
        progress.codings = codings if can_unpack(codings) else ()
        if progress.codings:
            del response.headers["Content-Encoding"]
