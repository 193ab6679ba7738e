"""The contract of the grammar: clauses, decisions, dialects and problems as users see them.

These tests use what `scrapy_robots1994` exports, and nothing else of the package.
"""
