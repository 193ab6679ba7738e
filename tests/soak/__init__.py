"""A soak test: many origins through one process for minutes, checked by the server."""
