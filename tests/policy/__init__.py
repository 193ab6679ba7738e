"""Tests of the policy that a response makes, and of how long it applies."""
