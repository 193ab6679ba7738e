"""Generated robots.txt files, the same in every run. Most of them resemble real ones."""

from __future__ import annotations

import random
from functools import cache
from itertools import chain

COUNT = 400

LINE_COUNTS = ((0.50, 1, 23), (0.95, 24, 270), (0.99, 271, 1300), (1.0, 1301, 4000))
"""How many lines real files have, in rows of (upper quantile, fewest lines, most lines)."""

ENDINGS = (b"\n",) * 6 + (b"\r\n",) * 3 + (b"\r",)
HUGE = 1_400_000
"""The approximate size of the largest file, in bytes."""

AGENTS = ("*", "Googlebot", "bingbot", "Slurp", "GPTBot", "ia_archiver", "Foo/1.0", "")
PATHS = ("/", "/tmp", "/cgi-bin/", "/a%20b", "/search?q=", "/*.php$", "", "images/")
ODD_LINES = (
    "Disalow: /typo",
    "no colon in this one",
    "Crawl-delay: 10",
    "Sitemap: https://a.test/sitemap.xml",
    "Allow: /public",
    "USER-AGENT : spaced",
    "Disallow: /caf\u00e9 # comment",
    "Disallow: /x\u2028y\x0b\x0c\x85z",
    "   ",
    "# only a comment",
)
PAGE = b"<!DOCTYPE html>\n<html><head><title>404</title></head>\n<body>: #</body>"


@cache
def generated_files() -> tuple[tuple[str, bytes], ...]:
    dice = random.Random(1994)  # noqa: S311 (every run must generate the same files)
    made = [_made(dice, number / COUNT) for number in range(COUNT)]
    line = b"Disallow: /archive/000000\n"
    odd = {
        "empty": b"",
        "huge": b"User-agent: *\n" + line * (HUGE // len(line)),
        "html": PAGE,
        "latin-1": "User-agent: *\nDisallow: /caf\u00e9\n".encode("latin-1"),
        "mark": b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n",
        "mark-only": b"\xef\xbb\xbf",
        "nul": b"User-agent: *\x00\nDisallow: /\x00\n\x00",
        "utf-16": "User-agent: *\nDisallow: /\n".encode("utf-16"),
        "broken-utf-16": b"\xff\xfeU\x00s",
        "not-text": bytes(range(256)) * 40,
    }
    numbered = ((f"site-{number:03}.test", body) for number, body in enumerate(made))
    named = ((f"{name}.test", body) for name, body in odd.items())
    return tuple(sorted(chain(numbered, named)))


def _made(dice: random.Random, share: float) -> bytes:
    """Make a file about as long as real files at the quantile *share*."""
    _, least, most = next(row for row in LINE_COUNTS if share < row[0])
    lines: list[str] = []
    for _ in range(dice.randint(least, most)):
        agent = f"User-agent: {dice.choice(AGENTS)}"
        rule = f"Disallow: {dice.choice(PATHS)}{dice.choice(('', 'x', 'y/z.html'))}"
        choices = [agent, rule, "", dice.choice(ODD_LINES)]
        lines += dice.choices(choices, weights=(2, 12, 2, 1))
    return b"".join(line.encode() + dice.choice(ENDINGS) for line in lines)
