"""How a page request leaves, and by which name: its robots.txt request does so too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request

# The way out of this machine; without it robots.txt would be asked from another address
# than the pages (scrapy/scrapy's built-in does so).
WAY_OUT = ("proxy", "bindaddress")


@dataclass(frozen=True, slots=True)
class Way:
    """The page request that needs a policy, and what its robots.txt request shares."""

    page: Request
    user_agent: bytes | None
    meta: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, page: Request, keys: Iterable[str]) -> Way:
        """The way of *page*; *keys* are the further meta keys to take over."""
        meta = {key: page.meta[key] for key in (*WAY_OUT, *keys) if key in page.meta}
        return cls(page, page.headers.get(b"User-Agent"), meta)
