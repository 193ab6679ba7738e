"""The tour: opens the town on loopback, crawls it twice, prints what came of it.

``town_map`` and ``policies`` say what the town is, ``opening`` puts it on a server,
``walking`` runs ``scrapy crawl walk``, ``telling`` prints. ``python -m tour`` does all.
"""
