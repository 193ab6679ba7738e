"""The robots.txt files of the town."""

from __future__ import annotations

HALL = """\
# The town hall welcomes robots on the ground floor.
User-agent: otherbot
Disallow: /

User-agent: townwalker
# A comment line is no blank line: the record goes on.
Disallow: /archive
Disallow: /cellar/    # the stairs are steep

User-agent: *
Disallow: /
"""

BANK = """\
User-agent: *
Disallow: /vault
"""

LIBRARY = """\
User-agent: *
Allow: /stacks/open
Crawl-delay: 1
Disallow: /stacks
Disallow: /*.pdf
Disallow: /cards?letter=
"""

MARKET = """\
User-agent: *

Disallow: /stalls
"""

CLOSED = """\
User-agent: *
Disallow: /
"""

FERRY = """\
User-agent: *
Disallow: /deck
"""

DEPOT = """\
User-agent: *
Disallow: /parcels
"""

REGISTER = "\n".join(
    [
        "User-agent: *",
        "Disallow: /early",
        *(f"Disallow: /entry/{number}" for number in range(32_000)),
        "",
    ]
)

THEATRE = """\
<!doctype html>
<title>Tonight</title>
<p>User-agent: *</p>
<p>Disallow: /stage</p>
"""
