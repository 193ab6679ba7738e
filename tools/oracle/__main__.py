"""Ask the package and the naive parser many questions, and show their differences.

`python -m tools.oracle --questions 1000000 --seed 1994` exits with 1 if they differ, or if
too few questions are decided by a rule or by one of the features of the grammar.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.oracle.asking import Difference, Tally, differences
from tests.oracle.generator import Generator
from tests.oracle.reading import DIALECTS, FEATURES, READINGS
from tools.oracle.minimise import minimised

LARGE_EVERY = 150
"""One in this many files is large."""

THREADS_EVERY = 10
"""The questions of one in this many files are asked by several threads."""

SHOWN = 4
"""The most differences that are minimised and shown per dialect and reading."""


def run(
    questions: int, seed: str, dialects: tuple[str, ...], tally: Tally
) -> list[Difference]:
    """Ask at least this many questions, print progress and return the differences."""
    found: list[Difference] = []
    causes: Counter[tuple[str, str]] = Counter()
    generator = Generator(seed)
    asked = files = 0
    began = shown = time.monotonic()
    while asked < questions:
        is_large = files % LARGE_EVERY == 0
        case = generator.large() if is_large else generator.small()
        files += 1
        for difference in differences(
            case, dialects, threads=files % THREADS_EVERY == 0, tally=tally
        ):
            causes[difference.dialect, difference.reading] += 1
            if causes[difference.dialect, difference.reading] <= SHOWN:
                found.append(difference)
        asked += (len(case.questions) + 1) * len(dialects) * len(READINGS)
        if time.monotonic() - shown > 5:
            shown = time.monotonic()
            sys.stderr.write(f"{asked:,} questions, {files:,} files\n")
    each = asked // (len(dialects) * len(READINGS))
    sys.stdout.write(
        f"seed {seed}: {asked:,} questions on {files:,} files, {each:,} in each of "
        f"{len(dialects)} dialects and {len(READINGS)} readings, "
        f"{time.monotonic() - began:.0f} s, {sum(causes.values()):,} differences\n"
    )
    for (dialect, reading), count in sorted(causes.items()):
        sys.stdout.write(f"  {dialect}, {reading}: {count:,}\n")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Parse the arguments, ask the questions, and print the differences."""
    parser = argparse.ArgumentParser(prog="python -m tools.oracle", description=__doc__)
    parser.add_argument("--questions", type=int, default=1_000_000)
    parser.add_argument("--seed", default="1994")
    parser.add_argument("--dialect", action="append", choices=DIALECTS)
    options = parser.parse_args(arguments)
    dialects = tuple(options.dialect or DIALECTS)
    tally = Tally()
    found = run(options.questions, options.seed, dialects, tally)
    shares = {name: tally.features[name] / (tally.files or 1) for name in FEATURES}
    shown = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    sys.stdout.write(
        f"a rule decides {tally.decided / (tally.questions or 1):.1%} of the questions; in "
        f"so many files decide: {shown}\n"
    )
    smallest = {str(minimised(difference)) for difference in found}
    for text in sorted(smallest, key=len):
        sys.stdout.write(f"{text}\n")
    # One dialect alone does not have all features.
    shortfalls = [] if options.dialect else tally.shortfalls
    for text in shortfalls:
        sys.stdout.write(f"too seldom: {text}\n")
    return 1 if found or shortfalls else 0


if __name__ == "__main__":
    sys.exit(main())
