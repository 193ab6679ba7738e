"""The tests of the package, in one folder for each part of the package."""
