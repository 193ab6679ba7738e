"""Features of a crawl that are off unless a setting switches them on."""
