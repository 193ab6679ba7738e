"""Floor 2: what an answer means, and for how long."""
