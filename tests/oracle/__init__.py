"""The oracle: an independent, naive parser with which the package is compared."""
