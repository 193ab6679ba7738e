"""Tests of single modules, deleted with them."""
