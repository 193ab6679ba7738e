"""The parser: bytes → text (`body`) → lines and groups (`reader`) → what one robot obeys
(`robot_reading`) → `rules` → `verdict`. No I/O.

`fields` and `dialects` are the tables of the grammar; `records` are for users; `user_agent` has
the names of robots, `spellings` and `rfc9309` the forms of paths, `usage` the preferences.
"""

from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Line
from scrapy_robots1994.parser.records import Record
from scrapy_robots1994.parser.robot_reading import Ignored
from scrapy_robots1994.parser.rules import RobotRules, Rules
from scrapy_robots1994.parser.verdict import Reason, Verdict

__all__ = [
    "Ignored",
    "Line",
    "LineKind",
    "Reason",
    "Record",
    "RobotRules",
    "Rules",
    "Verdict",
]
