"""Turn an `Answer` to GET /robots.txt into a `Policy`, as its row in `outcomes.ROWS` says.

Nothing here does I/O, reads a clock or imports Scrapy.
"""
