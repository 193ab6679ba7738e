"""The files that are raced: a folder of real ones, or made ones of the same shape."""

from __future__ import annotations

import random
from pathlib import Path

COUNT = 2_000
QUANTILES = ((0.0, 1), (0.25, 9), (0.5, 22), (0.75, 58), (0.95, 274), (0.99, 1_247))
"""Lines a file of 4,231 real ones, by their share; the longest has 12,000."""

LONGEST = 12_000
AGENTS = ("Googlebot", "bingbot", "GPTBot", "AhrefsBot", "MJ12bot", "Slurp", "*")
PARTS = [
    "admin",
    "api",
    "archive",
    "assets",
    "cart",
    "category",
    "cgi-bin",
    "checkout",
    "content",
    "feed",
    "forum",
    "images",
    "includes",
    "login",
    "media",
    "news",
    "node",
    "page",
    "plugins",
    "print",
    "private",
    "products",
    "search",
    "static",
    "tag",
    "tmp",
    "user",
    "users",
    "wp-admin",
    "wp-content",
    "wp-includes",
]


def read_corpus(folder: str) -> list[bytes]:
    """The bytes of each file of *folder*, by name; made ones if it is empty text."""
    if not folder:
        return made_corpus(COUNT)
    paths = sorted(path for path in Path(folder).iterdir() if path.is_file())
    if not paths:
        message = f"no file in {folder}"
        raise SystemExit(message)
    return [path.read_bytes() for path in paths]


def made_corpus(count: int) -> list[bytes]:
    """*count* files, the same every time, as long as real ones are."""
    dice = random.Random(1994)  # noqa: S311 - the same files every time is the point
    return [_made(dice, lines_at((n + 0.5) / count)) for n in range(count)]


def lines_at(share: float) -> int:
    """How many lines the file at this share of all files has."""
    ends = (*QUANTILES[1:], (1.0, LONGEST))
    for (low, least), (high, most) in zip(QUANTILES, ends, strict=True):
        if share <= high:
            within = (share - low) / (high - low)
            # The last hundredth is a long tail: few are near the longest.
            return round(least + (most - least) * (within**17 if high == 1 else within))
    return LONGEST


def _made(dice: random.Random, lines: int) -> bytes:
    """One file of *lines* lines; its first record is everybody's."""
    end = dice.choice(("\n", "\n", "\r\n"))
    kept = ["User-agent: *"]
    while len(kept) < lines:
        path = "/" + "/".join(dice.choices(PARTS, k=dice.randint(1, 3))) + "/"
        choices = (
            [f"Disallow: {path}"],
            [f"Allow: {path}{dice.randint(1, 99)}.html"],
            [f"Disallow: /*?{dice.choice(PARTS)}=%20"],
            [f"# {path}"],
            ["", f"User-agent: {dice.choice(AGENTS)}"],
        )
        kept += dice.choices(choices, weights=(72, 8, 4, 8, 8))[0]
    return (end.join(kept[:lines]) + end).encode()
