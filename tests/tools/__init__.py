"""The programs in `tools/` still run, in small sizes."""
