"""A report made of small files, hostile ones among them."""

from __future__ import annotations

from scrapy_robots1994.compare import (
    Capture,
    ComparisonReport,
    Question,
    Totals,
    questions,
)
from tests.support.peers import PEERS, comparer

HOSTILE = (
    "User-agent: *\n"
    "Disallow: /*<script>alert(1)</script>\n"
    "Disallow: /\"onmouseover=alert(2) '\n"
    "# <img src=http://evil.test/x.png onerror=alert(3)> {{ 7 * 7 }} </pre></table>\n"
    "Allow: /\u202e\x1b[31m<b>\n"
)
HOSTILE_URL = "http://evil.test/x<script>alert(1)</script>\"'onclick=alert(5)&lt;"

BODIES = {
    "http://allow.test": b"User-agent: *\nDisallow: /a\nAllow: /a/b\n",
    "http://split.test": b"User-agent: *\n\nDisallow: /a\n",
    "http://wild.test": b"User-agent: *\nDisallow: /*.php$\n",
    "http://long.test": b"User-agent: *\n"
    + b"".join(b"Disallow: /d%d\n" % number for number in range(900))
    + b"Disallow: /x*y\n",
}


def report() -> ComparisonReport:
    """Return what the three parsers say about the small files."""
    comparing = comparer()
    totals = Totals(4)
    for origin, body in BODIES.items():
        asked = questions(origin, body, most=200)
        asked += [Question(f"{origin}/x-y", "me")]
        totals.add(comparing.compare(Capture(origin, body), asked, 4))
    hostile = Capture('http://evil.test/"><script>alert(6)</script>', HOSTILE.encode())
    asked = [Question(HOSTILE_URL, '<i>"me"</i>')]
    totals.add(comparing.compare(hostile, asked, 4))
    return ComparisonReport(
        subject="five files & <more>",
        when="2026-11-20 12:00 UTC",
        parsers=tuple(peer.name for peer in PEERS),
        captures=totals.captures,
        skipped=3,
        counts=totals.counts,
        causes=totals.causes,
        explanations=tuple(map(comparing.explain, totals.sampled())),
        is_sampled=False,
    )
