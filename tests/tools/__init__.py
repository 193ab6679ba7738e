"""Tests that run the programs in `tools/` in small sizes."""
