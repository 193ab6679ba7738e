"""An independent, naive parser with which the package is compared."""
