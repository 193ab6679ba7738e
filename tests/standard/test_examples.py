"""The example files of the 1994 text, its FAQ and its revision, in all spellings."""

from __future__ import annotations

import pytest

from tests.standard.asking import allowed, spellings

MAP = """\
# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # endless
Disallow: /tmp/ # short-lived
Disallow: /foo.html
"""

MAPPER = """\
# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # endless

# one robot is welcome here
User-agent: cybermapper
Disallow:
"""

AWAY = """\
# closed
User-agent: *
Disallow: /
"""

QUICK = """\
User-agent: *
Disallow: /
"""

CRAWLERS = """\
# /robots.txt file for http://webcrawler.com/

User-agent: webcrawler
Disallow:

User-agent: lycra
Disallow: /

User-agent: *
Disallow: /tmp
Disallow: /logs
"""

SPIDERS = """\
# for every spider
User-Agent: *
# stay out
Disallow: /spiders/not/here/ #and all in it
Disallow: # nothing
Disallow: #nothing either
"""

ANSWERS = [
    (MAP, "rex", "/cyberworld/map/1", False),
    (MAP, "rex", "/cyberworld/", True),
    (MAP, "rex", "/tmp/x", False),
    (MAP, "rex", "/tmp", True),
    (MAP, "rex", "/foo.html?x", False),
    (MAP, "rex", "/foo.htm", True),
    (MAPPER, "rex", "/cyberworld/map/", False),
    (MAPPER, "CyberMapper/2.1", "/cyberworld/map/", True),
    (AWAY, "rex", "/", False),
    (AWAY, "rex", "/any/page", False),
    (QUICK, "rex", "/", False),
    (CRAWLERS, "WebCrawler/3.0", "/tmp", True),
    (CRAWLERS, "lycra", "/", False),
    (CRAWLERS, "rex", "/tmp/x", False),
    (CRAWLERS, "rex", "/logs", False),
    (CRAWLERS, "rex", "/log", True),
    (SPIDERS, "rex", "/spiders/not/here/really/", False),
    (SPIDERS, "rex", "/spiders/not/here/yes/even/me.html", False),
    (SPIDERS, "rex", "/spiders/not/her", True),
]


@pytest.mark.parametrize("spelling", spellings(MAP))
@pytest.mark.parametrize(("text", "robot", "path", "expected"), ANSWERS)
def test_1994_examples(
    spelling: str, text: str, robot: str, path: str, *, expected: bool
) -> None:
    """Each example has the same answers with any line ends, comments and case."""
    assert allowed(spellings(text)[spelling], path, robot) is expected
