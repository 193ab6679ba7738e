"""Tests that run the commands as users do."""
