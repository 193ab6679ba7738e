"""The benchmarks, which `tools/bench/run` runs."""
