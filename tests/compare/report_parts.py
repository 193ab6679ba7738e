"""A report on small files, some of them hostile, and one on 10,000 sites."""

from __future__ import annotations

from scrapy_robots1994.compare.comparer import Comparison
from scrapy_robots1994.compare.diagnosis import Cause
from scrapy_robots1994.compare.impact import (
    Change,
    Example,
    SiteImpact,
    Totals,
    Variant,
)
from scrapy_robots1994.compare.parsers import Capture, Direction, Question, questions
from scrapy_robots1994.compare.report import ComparisonReport, describe
from scrapy_robots1994.parser import Reason, Verdict
from tests.support.peers import PEERS, comparer

HOSTILE = (
    "User-agent: *\n"
    "Disallow: /*<script>alert(1)</script>\n"
    "Disallow: /\"onmouseover=alert(2) '\n"
    "# <img src=http://evil.test/x.png onerror=alert(3)> {{ 7 * 7 }} </pre></table>\n"
    "Allow: /\u202e\x1b[31m<b>\n"
)
HOSTILE_URL = "http://evil.test/x<script>alert(1)</script>\"'onclick=alert(5)&lt;"
HOSTILE_LABEL = 'http://evil.test/"></script><script>alert(6)</script>%DATA%'

BODIES = {
    "http://allow.test": b"User-agent: *\nDisallow: /a\nAllow: /a/b\n",
    "http://both.test": b"User-agent: *\nDisallow: /*.gif\nDisallow: /a\nAllow: /a/b\n",
    "http://same.test": b"User-agent: *\nDisallow: /a\n",
    "http://split.test": b"User-agent: *\n\nDisallow: /a\n",
    "http://wild.test": b"User-agent: *\nDisallow: /*.php$\n",
    "http://long.test": b"User-agent: *\n"
    + b"".join(b"Disallow: /d%d\n" % number for number in range(900))
    + b"Disallow: /x*y\n",
}
ABSENT = Verdict(allowed=True, reason=Reason.ABSENT)
METADATA = describe(Variant("1994", "literal"), robots="me", questions="at the edges")
NAMES = tuple(peer.name for peer in PEERS)


def totals() -> Totals:
    """Return the totals of the three parsers for the small files."""
    comparing, found = comparer(), Totals()
    captures = [
        (
            Capture(origin, body),
            questions(origin, body, robots=["me"], max_questions=200),
        )
        for origin, body in BODIES.items()
    ]
    long = "http://long.test"
    captures.append((Capture(long, BODIES[long]), [Question(f"{long}/x-y", "me")]))
    gone = Capture("http://gone.test", b"User-agent: *\nDisallow: /\n", ABSENT, 404)
    captures.append((gone, [Question("http://gone.test/x", "me")]))
    hostile = Capture(HOSTILE_LABEL, HOSTILE.encode())
    captures.append((hostile, [Question(HOSTILE_URL, '<i>"me"</i>')]))
    for capture, its_questions in captures:
        site = SiteImpact.of(capture)
        for name in NAMES:
            site.add(comparing.compare(name, Comparison(capture, tuple(its_questions))))
        for name in NAMES:
            site.examples.update(comparing.explain(name, site))
        found.add_site(site)
    return found


def numbers_of(found: Totals, name: str) -> list[int]:
    """Return how many sites each kind of change affects after a switch from *name*."""
    changes = found.changes()
    return [changes[name, None, change] for change in Change]


def report(
    found: Totals | None = None, *, has_answers: bool = True
) -> ComparisonReport:
    """Return a report of *found*, or of the small files."""
    return ComparisonReport(
        subject="files & <more>",
        parsers=NAMES,
        totals=totals() if found is None else found,
        metadata=METADATA,
        has_answers=has_answers,
        notes=("One note.",),
    )


def many_sites(count: int) -> Totals:
    """Return totals of *count* sites.

    Every third opens something, and every fifth closes something.
    """
    found = Totals()
    name = NAMES[0]
    for number in range(count):
        label = f"https://site-{number:05}.test"
        body = b"User-agent: *\nDisallow: /*.%d\n# a comment\nAllow: /x\n" % number * 4
        capture = Capture(label, body)
        site = SiteImpact.of(capture)
        site.counts[name, Direction.AGREE] = 7
        for step, way, cause in (
            (3, Direction.STRICTER, Cause.WILDCARD),
            (5, Direction.LAXER, Cause.ALLOW),
        ):
            if number % step == 0:
                site.counts[name, way] = number % 11 + 1
                site.causes[name, way, cause] = number % 11 + 1
                question = Question(f"{label}/page-{number}", "me")
                example = Example(question, "forbids", cause, "allowed", (1, 2))
                site.keep((name, way), example, capture)
        found.add_site(site)
    return found
