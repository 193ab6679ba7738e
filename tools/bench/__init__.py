"""The benchmarks. `tools/bench/run` compares all sides in one run, and prints ratios."""
