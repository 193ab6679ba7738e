"""An independent, naive parser that the package is compared with."""
