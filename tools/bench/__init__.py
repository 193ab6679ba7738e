"""The benchmarks of `tools/bench/run`."""
