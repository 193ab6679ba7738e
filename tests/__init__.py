"""Tests of the package and its tools, with their helpers."""
