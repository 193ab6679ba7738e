"""Ours beside other parsers: counts, causes, needed lines, reports."""
