"""Released files: built, checked, installed apart from the source, and used there."""
