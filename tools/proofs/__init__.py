"""Long proofs, run by hand; the suite runs each with few origins."""
