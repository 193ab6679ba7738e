"""The 1994 standard as code: bytes in, verdicts, lines, records and problems out. No
IO, no clock.

The flow of the rooms: `grammar` (bytes to text, the patterns), `dialects`, `source`
(one file, kept small), `lines`, `records`, `names` (what a robot goes by), `matching`
(when a rule covers a URL), `compilation` (the rules of one robot), `ruling` (asked for
every URL), `first_match` and `ordered` (the same for a dialect with Allow), `verdict`,
`problems` and `inspection` (the report), `robots` (the face).
"""

from scrapy_robots1994.parser.lines import Line, LineKind
from scrapy_robots1994.parser.records import (
    Agent,
    Delay,
    Record,
    Rule,
    print_records,
)
from scrapy_robots1994.parser.ruling import RobotRules
from scrapy_robots1994.parser.verdict import Reason, Verdict

__all__ = [
    "Agent",
    "Delay",
    "Line",
    "LineKind",
    "Reason",
    "Record",
    "RobotRules",
    "Rule",
    "Verdict",
    "print_records",
]
