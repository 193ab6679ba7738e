"""Tests of internals. They go with the modules that they test."""
