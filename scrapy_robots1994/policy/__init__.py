"""Policies of origins: the meaning of an answer, how long a policy applies, how it is
fetched.

This package has no IO, no clock and no Scrapy. The outcome table R1 to R7 turns a
`FetchResult` (the result of GET /robots.txt) into a `Policy`, which says whether it is
fresh at a given time; `resolver.PolicyResolver` finds or fetches the policy of an origin.
"""
