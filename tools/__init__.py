"""Programs to run by hand: benchmarks, long proofs and generators."""
