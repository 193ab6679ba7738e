"""Count the sites that each dialect opens and closes for Scrapy's default User-Agent.

`python -m tools.oracle.sites [CORPUS]` asks one question for each Allow and Disallow
line of each file, and prints tables in Markdown. CORPUS is a folder or a tar archive;
without it the files are those of `tests/support/corpus.py`.

`--rst` prints only the first table, as reStructuredText.
`--explain` names the cause of each difference between `rfc9309` and Protego.
`--google` compares both with google/robotstxt (`pip install jwm.robotstxt`).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import permutations
from typing import NamedTuple

from protego import Protego
from scrapy import Request
from scrapy.robotstxt import decode_robotstxt
from scrapy.settings.default_settings import USER_AGENT

from scrapy_robots1994 import RobotsTxt
from tests.oracle.lines import Field, fields
from tests.oracle.reading import DIALECTS, READINGS
from tests.support.corpus import corpus_files
from tools.oracle import causes, google

MAX_QUESTIONS = 4_000
"""The most questions about one file; more of them are sampled at equal distances."""

OURS = tuple(f"{dialect} {reading}" for dialect in DIALECTS for reading in READINGS)
READERS = ("protego", *OURS)
EFFECTS = ("unchanged", "only opens", "only closes", "both")


class Site(NamedTuple):
    """The answers of every reader about one file: for each URL, whether it is allowed."""

    name: str
    allowed: dict[str, tuple[bool, ...]]
    causes: list[tuple[str, str, bool]]
    google: list[tuple[str, bool, bool, bool, str]]


def question_urls(host: str, body: bytes) -> list[str]:
    """Return one URL for each Allow and Disallow line, as Scrapy would request it.

    Wildcards are filled with a letter and a final `$` is removed, so that the author of
    the line may have meant the URL.
    """
    found: dict[str, None] = {}
    for line in fields(body):
        if not isinstance(line, Field) or line.name not in ("allow", "disallow"):
            continue
        path = line.value.removesuffix("$").replace("*", "x")
        path = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if not path.startswith(("/", "http://", "https://")):
            path = "/" + path
        url = path if path.startswith("http") else f"http://{host}{path}"
        try:
            found[Request(url).url] = None
        except ValueError:
            continue  # not a URL that Scrapy could request
    urls = list(found)
    return urls[:: -(-len(urls) // MAX_QUESTIONS)] if urls else []


def examine(task: tuple[str, bytes, bool, bool]) -> Site:
    """Ask every reader every question about one file."""
    name, body, is_explained, with_google = task
    protego = Protego.parse(decode_robotstxt(body, None))
    ours = [
        RobotsTxt.parse(body, dialect=dialect, reading=reading)
        for dialect in DIALECTS
        for reading in READINGS
    ]
    rfc9309 = ours[OURS.index("rfc9309 literal")]
    site = Site(name, {}, [], [])
    for url in question_urls(name, body):
        peer = protego.can_fetch(url, USER_AGENT)
        site.allowed[url] = (
            peer,
            *(robots.allowed(url, USER_AGENT) for robots in ours),
        )
        allowed = rfc9309.allowed(url, USER_AGENT)
        if is_explained and allowed != peer:
            cause = causes.of_difference(body, url, USER_AGENT, allowed)
            site.causes.append((cause, url, allowed))
        if with_google:
            theirs = google.allowed(body, url, USER_AGENT)
            cause = ""
            if allowed != theirs:
                cause = google.of_difference(body, url, USER_AGENT, allowed)
            site.google.append((url, theirs, allowed, peer, cause))
    return site


def effect(site: Site, one: str, other: str) -> str:
    """Return the effect on a site of reading it like *one* instead of like *other*."""
    mine, theirs = READERS.index(one), READERS.index(other)
    rows = site.allowed.values()
    opens = any(row[mine] and not row[theirs] for row in rows)
    closes = any(row[theirs] and not row[mine] for row in rows)
    return EFFECTS[opens + 2 * closes]


def table(sites: list[Site], pairs: list[tuple[str, str]]) -> str:
    """Return a Markdown table of sites by effect, for each pair of readers."""
    rows = ["| reader | against | " + " | ".join(EFFECTS) + " |", "|---" * 6 + "|"]
    for one, other in pairs:
        count = Counter(effect(site, one, other) for site in sites)
        cells = " | ".join(f"{count[name]:,}" for name in EFFECTS)
        rows.append(f"| {one} | {other} | {cells} |")
    return "\n".join(rows) + "\n"


def rst_table(sites: list[Site], asked: int) -> str:
    """Return a reStructuredText table of our effects compared with Protego."""
    rows = [
        f".. Written by: python -m tools.oracle.sites --rst CORPUS ({asked:,} questions)",
        "",
        ".. csv-table::",
        "   :header: dialect, reading, " + ", ".join(EFFECTS) + ", opens, closes",
        "",
    ]
    for name in OURS:
        count = Counter(effect(site, name, "protego") for site in sites)
        both = count["both"]
        shares = (count[only] + both for only in ("only opens", "only closes"))
        cells = [*name.split(), *(str(count[each]) for each in EFFECTS)]
        cells += [f"{100 * share / len(sites):.1f} %" for share in shares]
        rows.append("   " + ", ".join(cells))
    return "\n".join(rows) + "\n"


def explained(sites: list[Site]) -> str:
    """Return a table of causes why `rfc9309` and Protego differ, most frequent first."""
    rows = ["| cause | lines | sites | for example |", "|---|---|---|---|"]
    found = Counter(cause for site in sites for cause, _, _ in site.causes)
    for cause, count in found.most_common():
        affected = [
            site for site in sites if any(c == cause for c, _, _ in site.causes)
        ]
        url, allowed = next((u, a) for c, u, a in affected[0].causes if c == cause)
        verb = "opens" if allowed else "closes"
        rows.append(
            f"| {cause} | {count:,} | {len(affected):,} | {verb} `{url[:90]}` |"
        )
    return "\n".join(rows) + "\n"


def compared_with_google(sites: list[Site]) -> str:
    """Return how often `rfc9309` and Protego agree with google/robotstxt, and causes."""
    answers = [row for site in sites for row in site.google]
    total = len(answers) or 1
    lines = [f"{len(answers):,} questions about {len(sites):,} files\n"]
    for name, place in (("rfc9309", 2), ("Protego", 3)):
        same = sum(row[1] == row[place] for row in answers)
        share = f"{100 * same / total:.2f} %"
        lines.append(f"{name} agrees with google/robotstxt: {same:,} ({share})\n")
    found = Counter(row[4] for row in answers if row[4])
    lines.append(
        "| cause of a difference of rfc9309 | lines | for example |\n|---|---|---|"
    )
    for cause, count in found.most_common():
        site, row = next((s, r) for s in sites for r in s.google if r[4] == cause)
        lines.append(f"| {cause} | {count:,} | {site.name}: `{row[0][:90]}` |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Parse the arguments, ask the questions, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.oracle.sites")
    parser.add_argument("corpus", nargs="?", help="folder or tar archive")
    parser.add_argument("--rst", action="store_true")
    parser.add_argument("--explain", action="store_true")
    parser.add_argument("--google", action="store_true")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    if options.corpus:
        os.environ["ROBOTS1994_CORPUS"] = options.corpus
    if options.google and not google.is_installed():
        sys.stderr.write("--google needs its binding: pip install jwm.robotstxt\n")
        return 2
    tasks = [(*file, options.explain, options.google) for file in corpus_files()]
    with ProcessPoolExecutor(options.processes) as pool:
        sites = list(pool.map(examine, tasks, chunksize=20))
    asked = sum(len(site.allowed) for site in sites)
    if options.rst:
        sys.stdout.write(rst_table(sites, asked))
        return 0
    sys.stdout.write(f"{asked:,} questions about {len(sites):,} files\n\n")
    against_peer = [(name, "protego") for name in OURS]
    sys.stdout.write(table(sites, against_peer) + "\n")
    literal = [f"{dialect} literal" for dialect in DIALECTS]
    readings = [(f"{d} cautious", f"{d} literal") for d in DIALECTS]
    pairs = [*readings, *permutations(literal, 2)]
    sys.stdout.write(table(sites, pairs) + "\n")
    if options.explain:
        sys.stdout.write(explained(sites) + "\n")
    if options.google:
        sys.stdout.write(compared_with_google(sites))
    return 0


if __name__ == "__main__":
    sys.exit(main())
