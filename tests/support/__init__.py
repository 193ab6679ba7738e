"""Helpers for tests, such as a scripted HTTP server, crawls in processes, and generated files."""
