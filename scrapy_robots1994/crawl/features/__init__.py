"""Optional features of a crawl, each switched on by a setting."""
