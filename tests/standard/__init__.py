"""The grammar as users see it: clauses, decisions, dialects and problems.

These tests import only what `scrapy_robots1994` exports.
"""
