"""From an `Answer` to GET /robots.txt, by its row in `outcomes.ROWS`, to a `Policy`. No I/O, no
clock, no Scrapy.
"""
