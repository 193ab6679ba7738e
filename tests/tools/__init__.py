"""Tests of the programs in `tools/`, the documentation, the pytest hooks and `tests/run`."""
