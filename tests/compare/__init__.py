"""Tests of the comparison with other parsers: counts, causes, needed lines, reports."""
