"""Faults: what servers do to a robots.txt or a page, and what a crawl makes of it."""
