"""What is released: built, checked, installed far from its source, and used there."""
