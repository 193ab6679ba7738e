"""What a file makes of itself, told line by line."""
