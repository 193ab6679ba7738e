"""Tests of `tools/`, the documentation and the pytest hooks."""
