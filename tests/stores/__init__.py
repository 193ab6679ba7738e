"""Floor 3: where policies rest."""
