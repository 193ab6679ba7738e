"""Expectations published by other programs, transcribed as data."""
