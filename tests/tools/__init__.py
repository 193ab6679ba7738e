"""Tests of `tools/`, the documentation, the pytest hooks and `tests/run`."""
