"""What the commands of this folder run: local sites, a crawl of them, a report.

`server` serves the sites on loopback, `hosts` and `robots_files` say what they are,
`crawling` runs `scrapy crawl`, `report` prints. `python -m demo` is `./run`,
`demo.beyond` is `./beyond`, `demo.distributed` is `./distributed`.
"""
