"""What is wrong in a file: problems with line, code, clause and fix. They change no
verdict.
"""

from scrapy_robots1994.checks.kinds import KINDS, SEVERITIES
from scrapy_robots1994.checks.run import find_problems, find_weakening_problems

__all__ = ["KINDS", "SEVERITIES", "find_problems", "find_weakening_problems"]
