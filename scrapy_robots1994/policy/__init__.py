"""The policies of origins. The package determines what an answer means, how long a policy
applies, and how a policy is fetched.

This package does no I/O, does not read a clock and does not import Scrapy. The outcome
table (R1 to R7) determines how a `FetchResult`, the result of GET /robots.txt, becomes a
`Policy`. A `Policy` contains the time until which the policy is fresh.
`resolver.PolicyResolver` finds or fetches the policy of an origin.
"""
