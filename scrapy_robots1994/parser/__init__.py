"""The grammar of robots.txt, which turns bytes into lines, records, rules and verdicts
without I/O.

A file goes through the following modules in order: `body` (the bytes and the text of the
file), `reader` (lines and groups), `robot_reading` (the rules for one robot), `rules`
(whether a URL is allowed) and `verdict` (the answer and its reason). `records` turns groups
into the records that users of the package see. `fields` and `dialects` are the tables of
the grammar. `user_agent` finds the names of robots. `spellings` makes the forms in which
URLs are compared, and `clients` makes the forms in which HTTP clients send a URL.
`rule_table` and `rfc9309` contain the two kinds of rule tables, and `columns` stores many
texts or numbers in little memory.
"""

from scrapy_robots1994.parser.fields import LineKind
from scrapy_robots1994.parser.reader import Line
from scrapy_robots1994.parser.records import Record
from scrapy_robots1994.parser.rules import RobotRules, Rules
from scrapy_robots1994.parser.verdict import Reason, Verdict

__all__ = ["Line", "LineKind", "Reason", "Record", "RobotRules", "Rules", "Verdict"]
