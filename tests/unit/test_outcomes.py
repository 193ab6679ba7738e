"""The rows of the outcome table: each is whole, and each setting it names exists."""

from dataclasses import fields

import pytest

from scrapy_robots1994.crawl.setting_types import MEANING
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.policy.outcomes import (
    GROUPS,
    ROWS,
    SETTING_PREFIX,
    Outcome,
    OutcomeRow,
)
from scrapy_robots1994.policy.policy import FreshnessSettings

EVERY_ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.outcome.value)
WITH_SETTING = pytest.mark.parametrize(
    "row", [row for row in ROWS if row.setting], ids=lambda row: row.setting
)


def settings_of(**values: object) -> FreshnessSettings:
    """Return the freshness settings that a project with *values* has."""
    from scrapy.settings import Settings  # noqa: PLC0415 - the other tests need none

    return RobotsSettings.from_settings(Settings(values)).freshness


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


@WITH_SETTING
@pytest.mark.parametrize("value", ["allow", "disallow"])
def test_every_setting_of_a_row_decides_its_outcome(
    row: OutcomeRow, value: str
) -> None:
    """The setting is declared, has the default of the row, and turns the outcome around."""
    name = row.setting.lower()
    (declared,) = [it for it in fields(RobotsSettings) if it.name == name]
    assert declared.metadata["default"] == row.default
    freshness = settings_of(**{f"{SETTING_PREFIX}{row.setting}": value})
    assert (row.outcome in freshness.allowing) == (value == "allow")


def test_every_setting_of_a_meaning_is_named_by_a_row() -> None:
    """One that no row names would be read, documented, and decide nothing."""
    declared = {
        it.name for it in fields(RobotsSettings) if it.metadata["type"] is MEANING
    }

    assert declared == {row.setting.lower() for row in ROWS if row.setting}


@WITH_SETTING
def test_default_of_the_pure_package_is_that_of_the_setting(row: OutcomeRow) -> None:
    """Without a project, an outcome means what the default of its setting says."""
    assert settings_of().allowing == FreshnessSettings().allowing
    assert (row.outcome in FreshnessSettings().allowing) == (row.default == "allow")
