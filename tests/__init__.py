"""The tests, with a folder for each part of the package."""
