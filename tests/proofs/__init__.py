"""Long proofs, run by hand; the suite runs each of them small."""
