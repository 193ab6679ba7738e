"""The exception that is raised for a refused request."""

from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994.parser import Verdict


class ForbiddenByRobots(IgnoreRequest):
    """Raised for a request that is refused because of the policy of its origin.

    This class is a subclass of `IgnoreRequest`, so a spider that was written for the
    built-in middleware does not need any changes. `verdict` contains the reason for the
    decision. If a line decided, `verdict` also contains the line and its record. The
    message begins with "Forbidden by robots.txt" and describes the verdict in words. The
    message is safe to print.
    """

    # To save time, this class has no `__init__` and makes the message on demand. An
    # exception is created for each refusal, but its message is rarely read.

    @property
    def verdict(self) -> Verdict:
        """The verdict, which contains the reason. If a line of the file decided, the
        verdict also contains the line and its record.
        """
        verdict: Verdict = self.args[0]
        return verdict

    def __str__(self) -> str:
        """Return the message, which describes the verdict in words."""
        return f"Forbidden by robots.txt: {self.verdict}"
