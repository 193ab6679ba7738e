"""The programs in `tools/`, the documentation, the pytest hooks and `tests/run`."""
