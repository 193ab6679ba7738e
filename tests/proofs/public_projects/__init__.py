"""Other people's projects, run as they are with the add-on set from outside."""
