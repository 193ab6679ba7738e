"""Tests of the parser: each clause of the 1994 text and each decision of ours."""
