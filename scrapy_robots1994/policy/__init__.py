"""From the `Answer` to GET /robots.txt to a `Policy`, by the answer's row in `outcomes.ROWS`.

Does no I/O, reads no clock, and knows nothing of Scrapy.
"""
