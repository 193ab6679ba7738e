"""Tests of the grammar as users see it: clauses, decisions, dialects and problems.

From the package, these tests import only names that `scrapy_robots1994` exports.
"""
