"""The benchmarks. `tools/bench/run` compares all sides, and prints ratios."""
