"""The parser: bytes → text (`body`) → lines and groups (`reader`) → what one robot obeys
(`robot_reading`) → `rules` → `verdict`. The parser does no I/O.

`fields` and `dialects` contain the grammar as tables. `user_agent` reads and matches the names of
robots, `spellings` normalizes paths, `rfc9309` matches wildcards, and `usage` reads usage
preferences. `records` makes the objects in `RobotsTxt.records`.
"""

from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Line
from scrapy_robots1994.parser.robot_reading import Ignored
from scrapy_robots1994.parser.rules import RobotRules, Rules
from scrapy_robots1994.parser.verdict import Reason, Verdict

__all__ = [
    "Ignored",
    "Line",
    "LineKind",
    "Reason",
    "RobotRules",
    "Rules",
    "Verdict",
]
