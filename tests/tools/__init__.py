"""Tests that run the programs in `tools/` with small inputs."""
