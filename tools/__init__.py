"""Programs to run by hand: benchmarks, comparisons and long tests."""
