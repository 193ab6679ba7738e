"""The oracle: an independent, naive parser that the package is compared with."""
