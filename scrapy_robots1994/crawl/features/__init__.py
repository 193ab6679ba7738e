"""Optional features of a crawl. Each has a setting that switches it on."""
