"""Tests that run the commands of the example project."""
