"""Tests of the report on one file."""
