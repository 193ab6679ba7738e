"""The policies of origins. The package determines what an answer means, and how long a
policy applies.

This package does not perform I/O, read a clock or import Scrapy. A `FetchResult` is the
result of GET /robots.txt. The table of outcomes (`outcomes.ROWS`) determines which
`Policy` follows from an answer. A `Policy` contains the time until which it is fresh.
"""
