"""Scrapy's built-in middleware and ours in the same situations, each a real crawl.

``registry`` says what a scenario is, the rooms (``waiting``, ``failures``, ``origins``,
``keeping``, ``words``) hold them, ``crawls`` runs one crawl, ``in_crawl`` is what runs
inside it, ``table`` prints. ``python -m scenarios`` plays them all.
"""
