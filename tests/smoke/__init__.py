"""Tests of the support itself: a fault that does not happen would prove nothing."""
