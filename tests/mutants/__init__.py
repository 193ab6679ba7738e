"""Mutants of the pure rooms: a test that kills none of them tests nothing."""
