"""Properties of every file, tested with generated and fuzzed input."""
