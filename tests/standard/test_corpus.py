"""Real files: every line is accounted for, and printed records parse to the same."""

from __future__ import annotations

from scrapy_robots1994 import LineKind, Record, RobotsTxt
from tests.support.corpus import corpus_files


def names_and_values(
    records: tuple[Record, ...],
) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return names and rule values of records, without line numbers."""
    return [(it.names, [rule.value for rule in it.rules]) for it in records]


def test_every_line_of_every_file_is_accounted_for() -> None:
    """The lines joined are the text; each ignored line has a reason."""
    used = {
        LineKind.BLANK,
        LineKind.COMMENT,
        LineKind.USER_AGENT,
        LineKind.DISALLOW,
    }
    for name, body in corpus_files()[::2]:
        robots = RobotsTxt.parse(body)
        assert "".join(it.text + it.ending for it in robots.lines) == robots.text, name
        for line in robots.lines:
            assert (line.why_ignored is None) is (line.kind in used), name


def test_user_agent_and_disallow_lines_are_those_of_the_records() -> None:
    """Each belongs to exactly one record."""
    for name, body in corpus_files()[1::2]:
        robots = RobotsTxt.parse(body)
        counted = [
            it.number
            for it in robots.lines
            if it.kind in (LineKind.USER_AGENT, LineKind.DISALLOW)
        ]
        owned = [it.line for record in robots.records for it in record.agents]
        owned += [it.line for record in robots.records for it in record.rules]
        assert sorted(owned) == counted, name


def test_printed_records_read_as_the_same_records() -> None:
    """Records printed as a robots.txt have the same names and values when parsed."""
    for name, body in corpus_files()[::2]:
        records = RobotsTxt.parse(body).records
        again = RobotsTxt.parse("\n".join(map(str, records)))
        assert names_and_values(again.records) == names_and_values(records), name
