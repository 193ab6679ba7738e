"""Reads files by the settings of a crawl; identical ones are parsed and held once."""

from __future__ import annotations

from threading import Lock
from weakref import WeakValueDictionary

from scrapy_robots1994.robotstxt import RobotsTxt


class Reader:
    """Makes a `RobotsTxt` of each body, the same one for the same bytes.

    Whole platforms serve one file from thousands of origins: their policies share it
    for as long as one of them is held. May be used from several threads. *limit* is
    how many bytes of a body are obeyed.
    """

    def __init__(self, dialect: str, reading: str, limit: int) -> None:
        self._dialect = dialect
        self._reading = reading
        self.limit = limit
        self._known: WeakValueDictionary[int, RobotsTxt] = WeakValueDictionary()
        self._lock = Lock()

    def read(self, body: bytes, *, is_cut: bool = False) -> RobotsTxt:
        """The file that *body* is; *is_cut* says that it is only its beginning."""
        # Ours O24: of a file over the limit, the whole lines within it are obeyed.
        if len(body) > self.limit:
            body, is_cut = body[: self.limit], True
        key = hash((body, is_cut))
        with self._lock:
            known = self._known.get(key)
        # Two bodies may have one hash.
        if known is not None and known.is_truncated == is_cut and known.body == body:
            return known
        robots = RobotsTxt.parse(
            body, dialect=self._dialect, reading=self._reading, truncated=is_cut
        )
        with self._lock:
            self._known[key] = robots
        return robots
