"""Tests of the grammar: clauses, decisions, dialects and problems.

They use only the public names of the package.
"""
