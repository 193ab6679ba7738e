"""What users see of commands and crawls, word for word."""
