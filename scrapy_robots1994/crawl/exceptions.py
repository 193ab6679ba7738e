"""The exception for refused requests."""

from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994.parser import Verdict


class ForbiddenByRobots(IgnoreRequest):
    """The policy of its origin refuses a request.

    An `IgnoreRequest`, as with the built-in middleware. The message begins with "Forbidden by
    robots.txt", says why, and is safe to print.
    """

    @property
    def verdict(self) -> Verdict:
        """The reason, with the line and the record that refuse the request."""
        verdict: Verdict = self.args[0]
        return verdict

    def __str__(self) -> str:
        """Make the message only when it is read, which is rare."""
        return f"Forbidden by robots.txt: {self.verdict}"
