"""What ``beyond`` does: five sites, a crawl of each, and what came of it."""
