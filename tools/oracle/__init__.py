"""The long comparison of the package with the oracle, and what dialects do to real sites."""
