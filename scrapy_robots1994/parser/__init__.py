"""The grammar of robots.txt: bytes in; lines, records, rules and verdicts out. No I/O.

A file goes through these modules in order: `body` (bytes, and their text), `reader` (lines and
groups), `records`, `robot_reading` (the rules for one robot), `rules` (decides about URLs) and
`verdict`. `fields` and `dialects` are the tables of the grammar. `user_agent` finds the names of
robots, `spellings` makes the forms of a URL, and `clients` makes the forms in which HTTP clients
send a URL. `rule_table` and `rfc9309` are the two ways in which rules cover URLs, and `columns`
stores many texts or numbers in little memory.
"""

from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Line
from scrapy_robots1994.parser.records import Record
from scrapy_robots1994.parser.rules import RobotRules, Rules
from scrapy_robots1994.parser.verdict import Reason, Verdict

__all__ = ["Line", "LineKind", "Reason", "Record", "RobotRules", "Rules", "Verdict"]
