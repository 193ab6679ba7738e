"""Tests of internals."""
