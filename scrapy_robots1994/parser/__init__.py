"""The parser of robots.txt, which turns the bytes of a file into lines, records, rules and
verdicts. The parser does no I/O.

Five modules process a file, one after the other. `body` decodes the text of the file.
`reader` splits the text into lines and groups. `robot_reading` selects the rules for one
robot. `rules` decides whether a URL is allowed, and `verdict` describes the decision.

`records` turns groups into the records that users of the package see. `fields` and
`dialects` contain the tables of the grammar. `user_agent` finds the names of robots.
`spellings` computes the forms in which URLs are sent and compared, and `rfc9309` those of
paths with wildcards. `usage` finds the usage preferences of a file.
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
