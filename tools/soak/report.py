"""The counts of a soak test as text, and its memory as an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.soak.run import SoakResult

WIDTH, HEIGHT, MARGIN = 720, 300, 50
HEAD = """\
# The soak test

Written by `python -m tools.soak ORIGINS SECONDS`, which crawls that many origins in one
process, or as many as the time allows. The server stores the policy
it last sent for each host, and checks every page request against it.
Of a hundred responses to GET /robots.txt, 11 are resets, 503, 429 or truncated bodies, and 3
redirects; policies are fresh for seconds and change with each response; the store has at
most 2,000 origins. Pages "allowed by the previous policy"
were requested just after a new one was sent: a stale policy is used during its refresh.
"""


def text(result: SoakResult) -> str:
    """Return the README of this folder."""
    counts, server = result.crawl["counts"], result.server
    rows = [
        ("origins", counts["origins"]),
        ("requests", counts["requests"]),
        ("refused", counts.get("refused", 0)),
        ("failed", counts.get("failed", 0)),
        ("lost (neither callback nor errback)", result.lost),
        ("GET /robots.txt that the server received", server["robots"]),
        ("of those, failures on purpose", server["failures"]),
        ("requests for pages that the server received", server["pages"]),
        ("of those, allowed by the previous policy", server.get("previous policy", 0)),
        ("the latest of them, seconds after the new policy", server.get("latest")),
        ("requested against the policy sent", server["against"]),
        ("seconds, on a machine shared with other work", result.crawl["seconds"]),
    ]
    for share in (0.05, 0.25, 0.5, 1.0):
        origins, megabytes = result.resident(share)
        rows.append((f"MB resident at {share:.0%} ({origins:,} origins)", megabytes))
    table = "\n".join(
        f"| {name} | {value:,} |" for name, value in rows if value is not None
    )
    image = "![Resident memory by origins crawled](rss.svg)"
    return f"{HEAD}\n| what | how many |\n|---|---|\n{table}\n\n{image}\n"


def image(result: SoakResult) -> str:
    """Return the resident memory over the origins crawled, as SVG."""
    series: list[tuple[int, int]] = result.crawl["rss"]
    last, top = series[-1][0], max(rss for _, rss in series) * 1.2
    wide, high = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN
    points = " ".join(
        f"{MARGIN + wide * origins / last:.1f},{HEIGHT - MARGIN - high * rss / top:.1f}"
        for origins, rss in series
    )
    bottom, right = HEIGHT - MARGIN, WIDTH - MARGIN
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">
<title>Resident memory by origins crawled</title>
<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>
<g stroke="#999" fill="none">
<path d="M{MARGIN} {MARGIN} V{bottom} H{right}"/>
<path d="M{MARGIN} {MARGIN} H{right}" stroke-dasharray="2 4"/>
</g>
<polyline points="{points}" fill="none" stroke="#06c" stroke-width="2"/>
<g font-family="sans-serif" font-size="13" fill="#333">
<text x="{MARGIN}" y="{MARGIN - 10}">MB resident ({top / 1e6:.0f} at the top)</text>
<text x="{MARGIN}" y="{bottom + 20}">0</text>
<text x="{right}" y="{bottom + 20}" text-anchor="end">{last:,} origins</text>
</g>
</svg>
"""
