"""The benchmarks of `tools/bench/run`, which compares all sides in one run and prints
ratios.
"""
