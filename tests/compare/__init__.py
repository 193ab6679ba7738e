"""Comparison with other parsers: counts, causes, needed lines, reports."""
