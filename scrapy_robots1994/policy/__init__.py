"""Turn an `Answer` to GET /robots.txt into a `Policy`, according to the table `outcomes.ROWS`.

Nothing here does I/O, reads a clock or imports Scrapy.
"""
