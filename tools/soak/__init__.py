"""A soak test: one process crawls many origins for minutes; the server checks requests."""
