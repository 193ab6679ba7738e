"""An independent, naive parser. The package must give the same answers as this parser."""
