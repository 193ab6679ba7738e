"""Compare the dialect `rfc9309` with other implementations, on many files."""
