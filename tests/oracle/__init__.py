"""An independent, naive reading of the standard, and a million questions about it."""
