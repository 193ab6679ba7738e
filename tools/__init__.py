"""Programs to run by hand."""
