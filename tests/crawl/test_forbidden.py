"""`ForbiddenByRobots` can be passed between processes and stored in a queue."""

from __future__ import annotations

import copy
import pickle

from scrapy_robots1994 import ForbiddenByRobots, RobotsTxt


def test_exception_survives_pickling_and_copying() -> None:
    """The verdict and the message are preserved."""
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /tmp")
    refusal = ForbiddenByRobots(robots.verdict("http://a.test/tmp", "me"))

    for other in (pickle.loads(pickle.dumps(refusal)), copy.copy(refusal)):  # noqa: S301 (our own bytes)
        assert other.verdict == refusal.verdict
        assert str(other) == str(refusal)
