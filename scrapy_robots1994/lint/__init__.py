"""Floor 2: a file as a strict robot of 1994 reads it, told line by line. Pure: no IO.

`effects` says what each line does, `report` gathers what is told of one file, `text`,
`machine` and `sarif` print it, `summary` counts problems over many files.
"""

from scrapy_robots1994.lint.report import Report, Unread
from scrapy_robots1994.lint.summary import Summary

__all__ = ["Report", "Summary", "Unread"]
