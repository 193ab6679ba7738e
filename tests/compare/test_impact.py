"""How many sites a switch changes: four numbers that do not depend on the order."""

from __future__ import annotations

import random

import pytest

from scrapy_robots1994.compare import impact
from scrapy_robots1994.compare.comparer import Comparison
from scrapy_robots1994.compare.diagnosis import Cause
from scrapy_robots1994.compare.impact import (
    MAX_EXAMPLES,
    VARIANTS,
    Change,
    Example,
    SiteImpact,
    Totals,
    Variant,
)
from scrapy_robots1994.compare.parsers import Capture, Direction, Question
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.policy.outcomes import AnswerGroup, group_of
from tests.compare.report_parts import totals
from tests.support.peers import PROTEGO, comparer

NAME = PROTEGO.name
LAXER, STRICTER = Direction.LAXER, Direction.STRICTER


def site_of(number: int) -> SiteImpact:
    """Return a site with one closed URL, and with an opened one if *number* is odd."""
    capture = Capture(f"http://{number}.test", b"x")
    site = SiteImpact.of(capture)
    for way in (LAXER, STRICTER)[: 1 + number % 2]:
        site.counts[NAME, way] = 1
        site.causes[NAME, way, Cause.ALLOW] = 1
        question = Question(f"http://{number}.test/", "me")
        site.keep((NAME, way), Example(question, "allows"), capture)
    return site


def changes_of(found: Totals, to: AnswerGroup | int | None = None) -> dict[Change, int]:
    """Return how many sites each kind of change affects."""
    changes = found.changes()
    return {change: changes[NAME, to, change] for change in Change}


def added(numbers: range) -> Totals:
    """Return the totals of the sites with these numbers."""
    found = Totals()
    for number in numbers:
        found.add_site(site_of(number))
    return found


def test_each_site_counts_once_as_unchanged_opened_closed_or_both() -> None:
    """The numbers are for Protego, the small files and a 404 with rules in its body."""
    assert changes_of(totals()) == {
        Change.UNCHANGED: 1,
        Change.OPENED: 5,  # four by their text, one by its status
        Change.CLOSED: 1,
        Change.BOTH: 1,
    }


def test_changes_by_text_and_by_status_are_counted_separately() -> None:
    """The 404 opens its site by its status alone."""
    found = totals()

    assert changes_of(found, group_of(404))[Change.OPENED] == 1
    assert changes_of(found, group_of(200))[Change.OPENED] == 4
    assert sum(changes_of(found).values()) == len(found.sites)


@pytest.mark.parametrize(
    ("status", "basis"),
    [
        (401, "401"),
        (403, "403"),
        (404, "404"),
        (410, "4xx"),
        (503, "5xx"),
        (None, "failure"),
    ],
)
def test_status_or_failure_is_the_basis_if_it_decides(
    status: int | None, basis: str
) -> None:
    """Without a uniform verdict the basis is the text."""
    verdict = Verdict(allowed=False, reason=Reason.UNREACHABLE)

    assert Capture("a", b"", verdict, status).basis.name == basis
    assert Capture("a", b"", None, status).basis.name == "text"


def test_variant_in_use_has_the_same_numbers_as_the_comparison() -> None:
    """The four numbers of each variant come from the same questions."""
    found = totals()

    numbers = changes_of(found, VARIANTS.index(Variant("1994", "literal")))
    cautious = changes_of(found, VARIANTS.index(Variant("1994", "cautious")))

    assert numbers == changes_of(found)
    # The cautious reading obeys the record that a blank line splits.
    assert cautious[Change.OPENED] == numbers[Change.OPENED] - 1
    assert cautious[Change.UNCHANGED] == numbers[Change.UNCHANGED] + 1


def test_totals_of_parts_are_the_totals_of_the_whole() -> None:
    """Counts, sites and examples are equal for any order and any parts."""
    whole = added(range(1000))
    parts = [added(range(start, start + 100)) for start in range(0, 1000, 100)]
    random.Random(4).shuffle(parts)  # noqa: S311 - any order will do

    together = Totals()
    for part in parts:
        together.add(part)

    assert together.counts == whole.counts
    assert together.causes == whole.causes
    assert together.changes() == whole.changes()
    assert together.sites == whole.sites


def test_sites_beyond_the_limit_are_counted_and_not_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The selection of listed sites does not depend on the order."""
    monkeypatch.setattr(impact, "MAX_SITES", 50)
    forward, backward = added(range(500)), Totals()
    for number in reversed(range(500)):
        backward.add_site(site_of(number))
    for found in (forward, backward):
        found.trim()

    assert len(forward.sites) == 50
    assert forward.unlisted_sites == 450
    assert set(forward.sites) == set(backward.sites)
    assert changes_of(forward) == {
        Change.UNCHANGED: 0,
        Change.OPENED: 0,
        Change.CLOSED: 250,
        Change.BOTH: 250,
    }


def test_decisions_about_one_site_are_added_up() -> None:
    """Decisions that come one by one, as in a crawl, are counted as one site."""
    found = Totals()
    for number in range(9):
        capture = Capture("http://a.test", b"x")
        site = SiteImpact.of(capture)
        site.counts[NAME, LAXER] = 1
        question = Question(f"http://a.test/{number % 5}", "me")
        site.keep((NAME, LAXER), Example(question, "allows"), capture)
        found.add_site(site, captures=number == 0)

    (site,) = found.sites.values()
    examples = site.examples[NAME, LAXER]
    assert found.captures == 1
    assert site.count(NAME, LAXER) == 9
    assert len(examples) == len({it.question for it in examples}) == MAX_EXAMPLES


def test_site_stores_its_file_only_if_a_parser_differs() -> None:
    """A file on which all parsers agree takes no memory."""
    body = b"User-agent: *\nDisallow: /a\n"
    for url, packed in (("http://a.test/b", b""), ("http://a.test/a", body)):
        capture = Capture("http://a.test", body * bool(packed) or b"Disallow: /*\n")
        other = Verdict(allowed=True, reason=Reason.ABSENT) if packed else None
        capture = Capture("http://a.test", capture.body, other, 404)
        site = comparer(PROTEGO).compare(
            NAME, Comparison(capture, (Question(url, "me"),))
        )

        assert site.capture.body == packed
