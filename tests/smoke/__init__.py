"""Tests of the test support itself: its faults must happen, or tests prove nothing."""
