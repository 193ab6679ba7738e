"""The rows of the outcome table: each row is complete, and each setting that a row names
exists.
"""

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
    """Each outcome has a row, and each status has one meaning."""
    assert [row.outcome for row in ROWS] == list(Outcome)
    statuses = [status for group in GROUPS for status in group.statuses]
    assert len(statuses) == len(set(statuses))
    assert len({group.name for group in GROUPS}) == len(GROUPS)


@EVERY_ROW
def test_every_row_has_all_words(row: OutcomeRow) -> None:
    """Each row has all its texts. Without a text, the log, a report or the documentation
    would have a gap.
    """
    texts = [row.statuses, *(text for group in row.groups for text in group[:3])]
    if row.reason is not None:
        texts.append(row.reason.meaning)
    assert all(texts)


def test_every_setting_of_a_meaning_is_named_by_a_row() -> None:
    """For each setting that chooses the meaning of an answer, one row of the outcome
    table names the setting and has its default. A setting without a row would have no
    effect.
    """
    declared = {
        it.name: it.metadata["default"]
        for it in fields(RobotsSettings)
        if it.metadata["type"] is MEANING
    }

    assert declared == {row.setting.lower(): row.default for row in ROWS if row.setting}


def test_every_setting_of_a_meaning_is_tried_in_a_crawl() -> None:
    """The table of outcomes (`tests.crawl.outcomes`) has answers for each setting."""
    assert set(TURNED) == {row.setting for row in ROWS if row.setting}
