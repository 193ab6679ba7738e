"""Tests of the policy resolver: one fetch for each origin, shared by all waiters."""
