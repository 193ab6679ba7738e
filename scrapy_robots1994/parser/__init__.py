"""The grammar of robots.txt: bytes in; lines, records, rules and verdicts out. No I/O.

The way of a file: `body` (its bytes, and their text), `reader` (its lines, records, and what
it says to one robot), `rules` (what answers questions about URLs), `verdict`. `fields` and
`dialects` are the tables of the grammar; `user_agent` has the names of robots, `spellings` the
forms of a URL, `clients` what HTTP clients make of it, `rule_table` and `rfc9309` the two ways
in which rules cover URLs, `columns` many texts or numbers in little memory.
"""

from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Line
from scrapy_robots1994.parser.records import Record
from scrapy_robots1994.parser.rules import RobotRules, Rules
from scrapy_robots1994.parser.verdict import Reason, Verdict

__all__ = ["Line", "LineKind", "Reason", "Record", "RobotRules", "Rules", "Verdict"]
