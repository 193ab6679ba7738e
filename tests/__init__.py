"""The tests, in folders that mirror the floors of the package."""
