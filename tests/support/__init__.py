"""Helpers for tests, such as a scripted HTTP server, forked crawls, and generated files."""
