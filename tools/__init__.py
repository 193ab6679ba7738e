"""Programs that are run by hand: benchmarks, long proofs, generators."""
