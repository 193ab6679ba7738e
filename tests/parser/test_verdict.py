"""Tests of what is left of a verdict in a pickle, and of its copies."""

from __future__ import annotations

import copy
import pickle

import pytest

from scrapy_robots1994 import RobotsTxt
from scrapy_robots1994.parser import Reason, Verdict


def pickled(verdict: Verdict) -> Verdict:
    """*verdict* as it comes back from a queue on disk."""
    again: Verdict = pickle.loads(pickle.dumps(verdict))  # noqa: S301 (our own bytes)
    return again


@pytest.mark.parametrize("dialect", ["1994", "revisited", "extended"])
def test_a_pickle_is_small_however_many_rules_there_are(dialect: str) -> None:
    """It holds the one rule that decided, and the words are the same."""
    lines = b"".join(b"Disallow: /closed/%d\n" % number for number in range(12_000))
    robots = RobotsTxt.parse(b"User-agent: me\n" + lines, dialect=dialect)
    verdict = robots.verdict("http://a.test/closed/11999", "me")

    unpacked = pickled(verdict)

    assert verdict.record is not None
    assert unpacked.record is not None
    assert len(verdict.record.rules) == 12_000
    # The shortest rule that covers it in 1994, so not the last.
    assert [str(rule) for rule in unpacked.record.rules] == [
        f"Disallow: {verdict.rule}"
    ]
    assert str(unpacked) == str(verdict)
    assert len(pickle.dumps(verdict)) < 1_000


@pytest.mark.parametrize("reason", Reason)
def test_a_verdict_without_a_record_survives_pickling(reason: Reason) -> None:
    """Nothing of it is left out."""
    verdict = Verdict(allowed=False, reason=reason)

    assert pickled(verdict) == verdict


def test_pickled_verdict_omits_rules_that_did_not_decide() -> None:
    """Of a record that closes nothing its names and lines are kept alone."""
    text = b"User-agent: me\nCrawl-delay: 5\nDisallow: /tmp\n"
    verdict = RobotsTxt.parse(text, dialect="extended").verdict("http://a.test/", "me")

    unpacked = pickled(verdict)

    assert verdict.record is not None
    assert verdict.record.delays
    assert verdict.record.rules
    assert unpacked.record is not None
    assert unpacked.record.delays == ()
    assert unpacked.record.rules == ()
    assert unpacked.record.names == verdict.record.names
    assert str(unpacked) == str(verdict)


def test_a_copy_is_the_verdict_itself() -> None:
    """Nothing of it can be changed: a copied meta takes no record with it."""
    verdict = RobotsTxt.parse(b"User-agent: *\nDisallow: /").verdict("/", "me")

    assert copy.copy(verdict) is copy.deepcopy(verdict) is verdict
