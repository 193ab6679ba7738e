"""Benchmarks: `tools/bench/run` runs them, all sides in one run, and prints ratios."""
