"""Every fault of a server has the outcome of its row, by the server's log."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.faults import report, table
from tests.faults.contents import CONTENTS
from tests.faults.fault import is_right
from tests.faults.measure import PAGES, measure
from tests.faults.redirects import redirects, without_server
from tests.faults.robots import TRANSFERS
from tests.support.crawl import Reactor, reactors
from tests.support.site import Site

DOZEN = (
    "slow-byte", "stops", "black-hole", "truncated", "reset-middle", "chunk-cut",
    "endless", "status-999", "gzip-bomb", "gzip-cut", "century", "utf-16", "chain-6",
    "loop-cookie", "to-user", "to-file", "refused", "no-name", "tls-to-plain",
)  # fmt: skip
"""Faults that are also tested on the other reactors, which use the same clients."""

UNHURRIED = {"ROBOTS1994_TIMEOUT": 4, "DOWNLOAD_TIMEOUT": 4}
"""For faults that hang and others, on a machine that may be busy."""

OF_OLD_TWISTED = {"length-below-0"} if version("twisted") == "21.7.0" else set()
"""Faults that the oldest Twisted does not see: there the file is read and obeyed."""

UNCLEAN = (
    "Traceback",
    "Unhandled",
    "was destroyed",
    "never retrieved",
    "never awaited",
)


def unclean(log: str) -> list[str]:
    """Return the signs of an unhandled error in a log."""
    return [sign for sign in UNCLEAN if sign in log]


def test_every_fault_has_the_outcome_of_its_row() -> None:
    """The README of this folder is the same table."""
    outcomes = table.whole_table()

    assert {fault.slug for fault, _ in outcomes.wrong} == OF_OLD_TWISTED
    assert outcomes.violations == []
    if not OF_OLD_TWISTED:
        assert report.README.read_text("utf-8") == report.text(outcomes)
    for crawled in outcomes.crawls:
        assert unclean(crawled.result.log) == []
        ended = len(crawled.result.fetched) + len(crawled.result.failed)
        pages = sum(not outcome.closed for outcome in crawled.outcomes.values())
        assert ended == len(PAGES) * (len(crawled.outcomes) - pages) + pages


@pytest.mark.parametrize("reactor", [each for each in reactors() if each != "asyncio"])
def test_faults_have_the_same_outcomes_on_other_reactors(reactor: Reactor) -> None:
    """On the select reactor and without one."""
    with Site(tls="valid") as site:
        known = [*TRANSFERS, *CONTENTS, *redirects(site), *without_server(site)]
        dozen = [fault for fault in known if fault.slug in DOZEN]
        measured = measure(site, dozen, reactor=reactor, settings=UNHURRIED)

    ends = [(fault, measured.outcomes[fault.slug]) for fault in dozen]
    assert len(dozen) == len(DOZEN)
    assert [each for each in ends if not is_right(*each)] == []
    assert unclean(measured.result.log) == []
