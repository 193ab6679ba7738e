"""The robots.txt files of the benchmarks, read or generated."""

from __future__ import annotations

import random
import tarfile
from pathlib import Path

ARCHIVES = (".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst")
"""Suffixes of archives. No file of a corpus has one, because each is named after its host."""
COUNT = 2_000
QUANTILES = ((0.0, 1), (0.25, 9), (0.5, 22), (0.75, 58), (0.95, 274), (0.99, 1_247))
"""Quantiles of the number of lines in 4,231 real files."""

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


def read_corpus(source: str) -> list[bytes]:
    """Return the files of the folder or tar archive *source*, or generated files if it is ""."""
    if not source:
        return made_corpus(COUNT)
    try:
        return [body for _, body in read_files(Path(source))]
    except tarfile.TarError:
        message = f"no corpus: {source} is neither a folder nor a tar archive"
    except (OSError, RuntimeError) as error:
        message = f"no corpus: {error}"
    raise SystemExit(message)


def read_files(source: Path) -> tuple[tuple[str, bytes], ...]:
    """Return the base name and the bytes of every file in a folder or tar archive.

    Raise RuntimeError if *source* contains no files, or is a folder that contains an archive.
    """
    if source.is_dir():
        for path in source.iterdir():
            if path.name.endswith(ARCHIVES):
                message = (
                    f"{path} is an archive, not a robots.txt: pass the archive itself"
                )
                raise RuntimeError(message)
        found = [(path.name, path.read_bytes()) for path in source.iterdir()]
    else:
        found = []
        with tarfile.open(source) as archive:
            for member in archive:
                file = archive.extractfile(member)
                if file is not None:
                    found.append((Path(member.name).name, file.read()))
    if not found:
        message = f"there are no files in {source}"
        raise RuntimeError(message)
    return tuple(sorted(found))


def made_corpus(count: int) -> list[bytes]:
    """Generate *count* files with realistic lengths, the same on every call."""
    dice = random.Random(1994)  # noqa: S311 - the same files every time
    return [_made(dice, lines_at((n + 0.5) / count)) for n in range(count)]


def lines_at(share: float) -> int:
    """Return how many lines a file at the quantile *share* has."""
    ends = (*QUANTILES[1:], (1.0, LONGEST))
    for (low, least), (high, most) in zip(QUANTILES, ends, strict=True):
        if share <= high:
            within = (share - low) / (high - low)
            # As in reality, only a few files are nearly as long as the longest.
            return round(least + (most - least) * (within**17 if high == 1 else within))
    return LONGEST


def _made(dice: random.Random, lines: int) -> bytes:
    end = dice.choice(("\n", "\n", "\r\n"))
    lines_made = ["User-agent: *"]
    while len(lines_made) < lines:
        path = "/" + "/".join(dice.choices(PARTS, k=dice.randint(1, 3))) + "/"
        choices = (
            [f"Disallow: {path}"],
            [f"Allow: {path}{dice.randint(1, 99)}.html"],
            [f"Disallow: /*?{dice.choice(PARTS)}=%20"],
            [f"# {path}"],
            ["", f"User-agent: {dice.choice(AGENTS)}"],
        )
        lines_made += dice.choices(choices, weights=(72, 8, 4, 8, 8))[0]
    return (end.join(lines_made[:lines]) + end).encode()
