"""The policies of origins: what an answer means, how long a policy applies, and how a
policy is fetched.

This package does no I/O, reads no clock and does not import Scrapy. The outcome table (R1
to R7) turns a `FetchResult`, the result of GET /robots.txt, into a `Policy`. A `Policy`
says whether it is fresh at a given time. `resolver.PolicyResolver` finds or fetches the
policy of an origin.
"""
