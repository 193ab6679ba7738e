"""Test of ``example_project/beyond``: one crawl for each thing that 1994 has not."""

from __future__ import annotations

from tests.example_project_runs.commands import masked, too_wide, typed_as_written
from tests.support.readme import told, typed

SECONDS = r"(?<= )\d\.\d\d\b"


def lines(output: str) -> list[list[str]]:
    """What stands on each line; pages may come, and be refused, in another order."""
    return sorted(sorted(masked(line, SECONDS)) for line in output.strip().split("\n"))


def test_each_of_the_five_crawls_does_exactly_what_it_should() -> None:
    """Dialects, crawl delay, sitemaps and pages; the command itself judges.

    What it prints is what the README shows, but for hundredths of seconds.
    """
    done = typed_as_written(typed("example_project/beyond"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Right: all five.\n")
    assert done.stdout.count("scrapy crawl ") == 5
    assert too_wide(done.stdout) == []
    assert lines(done.stdout) == lines(told("example_project/beyond"))
