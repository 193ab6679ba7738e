"""Long tests to run by hand. The test suite runs a small part of them."""
