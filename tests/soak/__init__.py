"""The soak: many origins through one process for minutes, judged by the server."""
