"""Turns the `Answer` to GET /robots.txt into a `Policy`, by its row in `outcomes.ROWS`.

Does no I/O, reads no clock, and does not import Scrapy.
"""
