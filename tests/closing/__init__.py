"""Crawls that close, or are disturbed otherwise, while requests wait for robots.txt."""
