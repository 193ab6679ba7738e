"""Tests of the problems that are reported in a file."""
