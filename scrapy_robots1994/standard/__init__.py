"""The 1994 standard as code: bytes in, verdicts, lines, records and problems out. No
IO, no clock.

The flow of the rooms: `grammar` (bytes to text, the patterns), `dialects`, `source`
(one file, kept small), `lines`, `records`, `names` (what a robot goes by), `matching`
(when a rule covers a URL), `compilation` (the rules of one robot), `ruling` (asked for
every URL), `first_match` and `ordered` (the same for a dialect with Allow), `verdict`,
`problems` and `inspection` (the report), `robots` (the face).
"""

from scrapy_robots1994.standard.lines import Line, LineKind
from scrapy_robots1994.standard.problems import Problem
from scrapy_robots1994.standard.records import (
    Agent,
    Delay,
    Record,
    Rule,
    print_records,
)
from scrapy_robots1994.standard.robots import RobotsTxt
from scrapy_robots1994.standard.ruling import Ruling
from scrapy_robots1994.standard.verdict import Reason, Verdict

__all__ = [
    "Agent",
    "Delay",
    "Line",
    "LineKind",
    "Problem",
    "Reason",
    "Record",
    "RobotsTxt",
    "Rule",
    "Ruling",
    "Verdict",
    "print_records",
]
