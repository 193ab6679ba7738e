"""Tests of floor 2, pages: what a page itself says to robots."""
