"""What a spider's errback receives for a URL that the policy refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from typing_extensions import Self

    from scrapy_robots1994.parser import Verdict


class ForbiddenByRobots(IgnoreRequest):
    """Raised for a request that the policy of its origin refuses.

    An `IgnoreRequest`, so spiders written for the built-in middleware need no change.
    *verdict* says because of which record and line; the message says it in words, after
    "Forbidden by robots.txt", and is printable whatever the file holds.
    """

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(f"Forbidden by robots.txt: {verdict}")

    def __reduce__(self) -> tuple[type[Self], tuple[Verdict]]:
        """Copies and pickles are made from the verdict, not from the message."""
        return type(self), (self.verdict,)
