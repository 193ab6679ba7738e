"""Run the commands as users do."""
