"""Floor 4: one fetch an origin, and everyone who waits for it."""
