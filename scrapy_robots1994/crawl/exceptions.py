"""The exception that is raised for a refused request."""

from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994.parser import Verdict


class ForbiddenByRobots(IgnoreRequest):
    """Raised for a request that the policy of its origin refuses.

    An `IgnoreRequest`, as with the built-in middleware. The message begins with "Forbidden by
    robots.txt", says why, and is safe to print.
    """

    @property
    def verdict(self) -> Verdict:
        """Why, and by which line of which record."""
        verdict: Verdict = self.args[0]
        return verdict

    def __str__(self) -> str:
        """Return the message, which is made on demand: few are read."""
        return f"Forbidden by robots.txt: {self.verdict}"
