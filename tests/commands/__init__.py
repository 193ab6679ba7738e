"""Tests that run the commands as a user does."""
