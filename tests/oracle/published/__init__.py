"""Answers that other programs publish, transcribed as data."""
