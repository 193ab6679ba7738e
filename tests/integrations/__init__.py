"""Real crawls with other plugins and download handlers."""
