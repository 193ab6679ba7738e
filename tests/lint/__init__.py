"""Tests of `lint`, the report on one file."""
