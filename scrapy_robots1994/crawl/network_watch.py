"""Tells a silent origin from a network of ours that carries nothing."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.origin import Origin

MANY_SITES = 10
"""Unrelated sites that are silent at once: more than are down by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class WatchedFetch:
    """A fetch in flight."""

    site: str
    since: float


class NetworkWatch:
    """Watches whether any server answers while fetches wait for theirs."""

    def __init__(self) -> None:
        self._last_heard = 0.0
        self._in_flight: dict[WatchedFetch, None] = {}
        # Sites that timed out since anything was heard.
        self._timed_out: set[str] = set()

    @contextmanager
    def fetch(self, origin: Origin) -> Iterator[WatchedFetch]:
        """Watch a fetch of *origin* while the block runs."""
        fetch = WatchedFetch(_site(origin.host), monotonic())
        self._in_flight[fetch] = None
        try:
            yield fetch
        finally:
            del self._in_flight[fetch]

    def heard(self) -> None:
        """Note that some server sent something, if only a refusal."""
        self._last_heard = monotonic()
        self._timed_out.clear()

    def is_down(self, fetch: WatchedFetch) -> bool:
        """Whether *fetch*, which timed out, shares its silence with many sites.

        What cannot be told apart counts as the origin's (R5).
        """
        if self._last_heard >= fetch.since:
            return False
        self._timed_out.add(fetch.site)
        sites = set(self._timed_out)
        # Those that began much later may yet be answered.
        latest = (fetch.since + monotonic()) / 2
        for other in self._in_flight:
            if len(sites) > MANY_SITES or other.since > latest:
                break
            sites.add(other.site)
        return len(sites) > MANY_SITES


def _site(host: str) -> str:
    """Return what hosts of one owner mostly share; an address is a site."""
    labels = host.split(".")
    return host if ":" in host or labels[-1].isdigit() else ".".join(labels[-2:])
