"""Tests of internals. A test is deleted together with the module that it tests."""
