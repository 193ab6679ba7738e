"""The example files of the 1994 text and its FAQ, in all spellings."""

from __future__ import annotations

import pytest

from tests.standard.asking import allowed_however_spelt

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
ANSWERS = [
    (MAP, "rex", "/cyberworld/map/1", False),
    (MAP, "rex", "/cyberworld/", True),
    (MAP, "rex", "/tmp/x", False),
    (MAP, "rex", "/tmp", True),
    (MAP, "rex", "/foo.html?x", False),
    (MAP, "rex", "/foo.htm", True),
    (MAPPER, "rex", "/cyberworld/map/", False),
    (MAPPER, "CyberMapper/2.1", "/cyberworld/map/", True),
    (CRAWLERS, "WebCrawler/3.0", "/tmp", True),
    (CRAWLERS, "lycra", "/", False),
    (CRAWLERS, "rex", "/tmp/x", False),
    (CRAWLERS, "rex", "/logs", False),
    (CRAWLERS, "rex", "/log", True),
]


@pytest.mark.parametrize(("text", "robot", "path", "expected"), ANSWERS)
def test_1994_examples(text: str, robot: str, path: str, *, expected: bool) -> None:
    """Each example has the same answers with any line ends, comments and case."""
    assert allowed_however_spelt(text, path, robot) is expected
