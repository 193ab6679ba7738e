"""The exception of a refused page."""

from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994.parser import Verdict


class ForbiddenByRobots(IgnoreRequest):
    """Raised for a request that the policy of its origin refuses.

    It is an `IgnoreRequest`, so spiders written for the built-in middleware need no
    change. *verdict* names the record and the line that refuse the request. The message
    begins with "Forbidden by robots.txt", says the same in words, and is safe to print.
    """

    # An exception is created for each refusal, and few messages are read. So there is no
    # `__init__` in Python, and the message is made on demand.

    @property
    def verdict(self) -> Verdict:
        """The verdict, with the record and the line that refuse the request."""
        verdict: Verdict = self.args[0]
        return verdict

    def __str__(self) -> str:
        """Return the message."""
        return f"Forbidden by robots.txt: {self.verdict}"
