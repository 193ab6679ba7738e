"""Tests of an inside: each is deleted with its module without regret."""
