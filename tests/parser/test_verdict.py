"""Pickles and copies of a verdict."""

from __future__ import annotations

import copy
import pickle

import pytest

from scrapy_robots1994 import RobotsTxt
from scrapy_robots1994.parser import Reason, Verdict


def pickled(verdict: Verdict) -> Verdict:
    """Return *verdict* as it is read from a queue on disk."""
    again: Verdict = pickle.loads(pickle.dumps(verdict))  # noqa: S301 (our own bytes)
    return again


@pytest.mark.parametrize("dialect", ["1994", "revisited", "extended"])
def test_size_of_a_pickle_does_not_depend_on_the_rules(dialect: str) -> None:
    """It has only the rule that decided; the sentence is the same."""
    lines = b"".join(b"Disallow: /closed/%d\n" % number for number in range(12_000))
    robots = RobotsTxt.parse(b"User-agent: me\n" + lines, dialect=dialect)
    verdict = robots.verdict("http://a.test/closed/11999", "me")

    unpacked = pickled(verdict)

    assert verdict.record is not None
    assert unpacked.record is not None
    assert len(verdict.record.rules) == 12_000
    # 1994 names the shortest rule that covers the URL, so not the last one.
    assert [str(rule) for rule in unpacked.record.rules] == [
        f"Disallow: {verdict.rule}"
    ]
    assert str(unpacked) == str(verdict)
    assert len(pickle.dumps(verdict)) < 1_000


@pytest.mark.parametrize("reason", Reason)
def test_verdict_without_a_record_survives_pickling(reason: Reason) -> None:
    """All its attributes are pickled."""
    verdict = Verdict(allowed=False, reason=reason)

    assert pickled(verdict) == verdict


def test_pickled_verdict_omits_rules_that_did_not_decide() -> None:
    """Of a record that disallows nothing here, only names and lines are pickled."""
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


def test_copy_is_the_verdict_itself() -> None:
    """A verdict is immutable, so copying a meta dict does not copy records."""
    verdict = RobotsTxt.parse(b"User-agent: *\nDisallow: /").verdict("/", "me")

    assert copy.copy(verdict) is copy.deepcopy(verdict) is verdict
