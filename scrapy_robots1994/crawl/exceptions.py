"""The exception for refused requests."""

from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994.parser import Verdict


class ForbiddenByRobots(IgnoreRequest):
    """Raised for a request that the policy of its origin refuses.

    The base class is `IgnoreRequest`, which the built-in middleware raises. The message begins with
    "Forbidden by robots.txt", gives the reason, and is safe to print.
    """

    @property
    def verdict(self) -> Verdict:
        """Why the request is refused, and the line and record that refuse it, if any."""
        verdict: Verdict = self.args[0]
        return verdict

    def __str__(self) -> str:
        return f"Forbidden by robots.txt: {self.verdict}"
