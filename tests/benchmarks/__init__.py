"""Benchmarks: `tests/bench` runs them, all sides in one run, and prints ratios."""
