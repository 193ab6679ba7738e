"""Tests of the stores. `contract` contains those that every store must pass."""
