"""Real crawls with every kind of spider and component that sends requests."""
