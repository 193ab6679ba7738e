"""The grammar of robots.txt: bytes in; lines, records, rules and verdicts out. No I/O.

The way of a file: `body` (its bytes), `tokens` (its lines), `records`, then for one robot
`ruleset` and `verdict`. `dialects` has what sets the dialects apart, `user_agent` the
names of robots, `spellings` the forms of a URL; `prefix_matcher` and `rfc9309` compile rules,
with the index of `prefixes`.
`fast_scan` is a faster way to the rules of one robot.
"""

from scrapy_robots1994.parser.records import Record
from scrapy_robots1994.parser.ruleset import RobotRules
from scrapy_robots1994.parser.tokens import Line, LineKind
from scrapy_robots1994.parser.verdict import Reason, Verdict

__all__ = ["Line", "LineKind", "Reason", "Record", "RobotRules", "Verdict"]
