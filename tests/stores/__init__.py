"""Tests of the stores. `contract` contains the tests that every store must pass."""
