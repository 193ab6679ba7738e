"""Policies of origins: what a response means, how long it applies, how it is fetched.

Pure: no IO, no clock, no Scrapy. The outcome table R1 to R7 turns a `FetchResult` (the
result of GET /robots.txt) into a `Policy`, which says whether it is fresh at a given time;
`resolver.PolicyResolver` finds or fetches the policy of an origin.
"""
