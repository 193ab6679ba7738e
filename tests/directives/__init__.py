"""Tests of the directives for robots in a page and its headers."""
