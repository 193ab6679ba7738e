"""The contract of the grammar: clauses, decisions, dialects and problems as users see them.

Of this package, these tests use only what `scrapy_robots1994` exports.
"""
