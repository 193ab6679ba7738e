"""The tests, in one folder for each part of the package."""
