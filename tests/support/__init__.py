"""Helpers for tests: a scripted HTTP server, real crawls, and a corpus of robots.txt files."""
