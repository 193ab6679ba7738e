"""Unmodified public projects, run with the add-on set on the command line."""
