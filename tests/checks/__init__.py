"""Tests of what is reported as wrong in a file."""
