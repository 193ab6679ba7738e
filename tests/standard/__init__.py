"""Tests of the grammar: clauses, decisions, dialects and problems.

These tests import only what `scrapy_robots1994` exports.
"""
