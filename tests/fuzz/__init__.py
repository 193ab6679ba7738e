"""Any bytes: what must hold of every file, tried with inputs nobody would write."""
