"""Helpers of the tests: a scripted HTTP server, real crawls, and a corpus of files."""
