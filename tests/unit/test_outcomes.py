"""The rows of the outcome table: each is whole, and each setting it names exists."""

from dataclasses import fields

import pytest

from scrapy_robots1994.crawl.setting_types import MEANING
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.policy.outcomes import (
    GROUPS,
    ROWS,
    Outcome,
    OutcomeRow,
)
from tests.crawl.outcomes import TURNED

EVERY_ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.outcome.value)


def test_every_outcome_has_one_row_and_every_status_one_group() -> None:
    """No outcome is without a row, and no status has two meanings."""
    assert [row.outcome for row in ROWS] == list(Outcome)
    statuses = [status for group in GROUPS for status in group.statuses]
    assert len(statuses) == len(set(statuses))
    assert len({group.name for group in GROUPS}) == len(GROUPS)


@EVERY_ROW
def test_every_row_has_all_words(row: OutcomeRow) -> None:
    """A row without words would be silent in the log, a report or the documentation."""
    texts = [row.clause, row.statuses, row.doc_answer, row.doc_policy, row.doc_lifetime]
    texts += [text for group in row.groups for text in group[:3]]
    if row.reason is not None:
        texts.append(row.reason.meaning)
    # What robots-lint says in place of a report, where the origin gave an answer.
    if row.reason is not None and row.is_answer:
        texts.append(row.noun)
    assert all(texts)


def test_every_setting_of_a_meaning_is_named_by_a_row() -> None:
    """Its default is that of the row; one that no row names would decide nothing."""
    declared = {
        it.name: it.metadata["default"]
        for it in fields(RobotsSettings)
        if it.metadata["type"] is MEANING
    }

    assert declared == {row.setting.lower(): row.default for row in ROWS if row.setting}


def test_every_setting_of_a_meaning_is_tried_in_a_crawl() -> None:
    """The table of the contract has answers for it."""
    assert set(TURNED) == {row.setting for row in ROWS if row.setting}
