"""Long proofs, run by hand. The test suite runs each proof with few origins."""
