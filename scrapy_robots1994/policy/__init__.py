"""Turn an `Answer` to GET /robots.txt into a `Policy`, as the row of its outcome in `outcomes.ROWS`
says.

Nothing here does I/O, reads a clock or imports Scrapy.
"""
