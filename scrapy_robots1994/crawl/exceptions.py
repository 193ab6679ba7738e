"""The exception of a refused page."""

from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994.parser import Verdict


class ForbiddenByRobots(IgnoreRequest):
    """Raised for a request that the policy of its origin refuses.

    An `IgnoreRequest`, so spiders written for the built-in middleware need no change.
    *verdict* says because of which record and line; the message says it in words, after
    "Forbidden by robots.txt", and is printable whatever the file holds.
    """

    # One is made for each refusal, and most are never read: no `__init__` in Python, and
    # no message before someone wants it.

    @property
    def verdict(self) -> Verdict:
        """Because of which record and line the request is refused."""
        verdict: Verdict = self.args[0]
        return verdict

    def __str__(self) -> str:
        """Return the message."""
        return f"Forbidden by robots.txt: {self.verdict}"
