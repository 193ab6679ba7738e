"""Long proofs to run by hand. The test suite runs small versions of them."""
