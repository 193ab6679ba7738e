"""What an errback receives can be handed on: between processes, into a queue."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994 import ForbiddenByRobots, RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.standard import Verdict


def test_a_refusal_survives_pickling_and_copying() -> None:
    """The verdict and the message are the same on the other side."""
    robots = RobotsTxt.parse(b"User-agent: *\nDisallow: /tmp")
    refusal = ForbiddenByRobots(robots.verdict("http://a.test/tmp", "me"))

    for other in (pickle.loads(pickle.dumps(refusal)), copy.copy(refusal)):  # noqa: S301 (our own bytes)
        assert other.verdict == refusal.verdict
        assert str(other) == str(refusal)


@pytest.mark.parametrize("dialect", ["1994", "revisited", "extended"])
def test_a_pickled_refusal_is_small_however_many_rules_there_are(
    dialect: str,
) -> None:
    """A queue on disk holds the one rule that decided, and the words are the same."""
    lines = b"".join(b"Disallow: /closed/%d\n" % number for number in range(12_000))
    robots = RobotsTxt.parse(b"User-agent: me\n" + lines, dialect=dialect)
    verdict = robots.verdict("http://a.test/closed/11999", "me")

    packed = pickle.dumps(verdict)
    unpacked: Verdict = pickle.loads(packed)  # noqa: S301 (our own bytes)

    assert verdict.record is not None
    assert unpacked.record is not None
    assert len(verdict.record.rules) == 12_000
    # The shortest rule that covers it in 1994, so not the last.
    assert [str(rule) for rule in unpacked.record.rules] == [
        f"Disallow: {verdict.rule}"
    ]
    assert str(unpacked) == str(verdict)
    assert len(packed) < 1_000
    assert copy.copy(verdict) is copy.deepcopy(verdict) is verdict
