"""Reads files by the settings of a crawl; identical ones are parsed and stored once."""

from __future__ import annotations

from threading import Lock
from weakref import WeakValueDictionary

from scrapy_robots1994.robotstxt import RobotsTxt


class Reader:
    """Return a `RobotsTxt` for each body, the same one for the same bytes.

    Some hosting platforms serve one file from thousands of origins: their policies share it
    for as long as one of them exists. May be used from several threads. *limit* is
    the number of bytes of a body that are read.
    """

    def __init__(self, dialect: str, reading: str, limit: int) -> None:
        self._dialect = dialect
        self._reading = reading
        self.limit = limit
        self._known: WeakValueDictionary[int, RobotsTxt] = WeakValueDictionary()
        self._lock = Lock()

    def read(self, body: bytes, *, is_truncated: bool = False) -> RobotsTxt:
        """Return the file *body*; *is_truncated* says that it is only the beginning."""
        # Ours O24: of a file over the limit, the whole lines within it are obeyed.
        if len(body) > self.limit:
            body, is_truncated = body[: self.limit], True
        key = hash((body, is_truncated))
        with self._lock:
            known = self._known.get(key)
        # Different bodies may have the same hash.
        if (
            known is not None
            and known.is_truncated == is_truncated
            and known.body == body
        ):
            return known
        robots = RobotsTxt.parse(
            body, dialect=self._dialect, reading=self._reading, truncated=is_truncated
        )
        # Two threads may have parsed the same body: the last one stays, both are right.
        with self._lock:
            self._known[key] = robots
        return robots
