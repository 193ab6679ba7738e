"""Floor 1: the 1994 text as code, clause by clause and decision by decision."""
