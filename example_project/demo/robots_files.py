"""The robots.txt files of the hosts that `./run` crawls."""

from __future__ import annotations

RECORDS = """\
# Three records; the second one names examplebot.
User-agent: otherbot
Disallow: /

User-agent: examplebot
# A comment line is not a blank line: the record goes on.
Disallow: /archive
Disallow: /drafts/    # only what is below the folder

User-agent: *
Disallow: /
"""

AT_ONCE = """\
User-agent: *
Disallow: /private
"""

EXTENSIONS = """\
User-agent: *
Allow: /books/free
Crawl-delay: 1
Disallow: /books
Disallow: /*.pdf
Disallow: /search?q=
"""

BLANK_LINE = """\
User-agent: *

Disallow: /private
"""

EVERYTHING = """\
User-agent: *
Disallow: /
"""

SLOW = """\
User-agent: *
Disallow: /private
"""

OTHER_HOST = """\
User-agent: *
Disallow: /private
"""

LARGE = "\n".join(
    [
        "User-agent: *",
        "Disallow: /first",
        *(f"Disallow: /entry/{number}" for number in range(32_000)),
        "",
    ]
)

HTML = """\
<!doctype html>
<title>Start</title>
<p>User-agent: *</p>
<p>Disallow: /private</p>
"""
