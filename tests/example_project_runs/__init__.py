"""Tests that run the two commands of the example project."""
