"""The command: `tools/bench/run [--corpus FILES] [--json FILE] [--quick] [benchmark ...]`."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tools.bench import crawls, instructions, memory, parsing, report, requests
from tools.bench.corpus import read_corpus
from tools.bench.sides import all_sides

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.bench.timing import Result

RACES = (
    "parsing",
    "questions",
    "requests",
    "memory",
    "import",
    "growth",
    "slow",
    "cached",
    "turns",
    "broad",
    "instructions",
)


def races(options: argparse.Namespace) -> dict[str, Callable[[], Iterator[Result]]]:
    quick, corpus = options.quick, options.corpus
    rounds = 3 if quick else 11
    files = read_corpus(corpus)[:: 10 if quick else 1]
    cases = [(20, 1)] if quick else [(20, 5), (60, 10), (500, 10)]
    few, many = (1, 1) if quick else (3, 5)

    def growing() -> Iterator[Result]:
        yield from parsing.growth(3 if quick else 5)
        yield from requests.growth(3 if quick else 5, 1_000 if quick else 1_000_000)

    return {
        "parsing": partial(parsing.parsing, files, rounds),
        "questions": partial(parsing.questions, files, rounds),
        "requests": partial(requests.known_requests, rounds, 100 if quick else 100_000),
        "memory": partial(memory.memory, corpus),
        "import": partial(parsing.imports, rounds),
        "growth": growing,
        "slow": partial(crawls.with_slow_hosts, few, cases),
        "cached": partial(crawls.cached, many, 300 if quick else 1_500),
        "turns": partial(crawls.in_turn, many, 70 if quick else 700, corpus),
        "broad": partial(
            crawls.broad, *((400, 100) if quick else (20_000, 2_000)), corpus
        ),
        "instructions": partial(instructions.instructions, few, corpus),
    }


def main(arguments: list[str] | None = None) -> int:
    options = parsed(arguments)
    about = machine()
    say = partial(print, flush=True)
    say(report.heading(about))
    for sentence in all_sides()[1]:
        say(f"  ({sentence})")
    found: list[Result] = []
    wanted = options.race or RACES
    for name, run in races(options).items():
        if name in wanted:
            for result in run():
                found.append(result)
                say(report.shown(result))
    if options.json:
        measured = {"machine": about, "results": [asdict(result) for result in found]}
        Path(options.json).write_text(json.dumps(measured, indent=1) + "\n", "utf-8")
    return 0


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/bench/run", description=__doc__)
    parser.add_argument("race", nargs="*", help=f"{', '.join(RACES)}; by default, all")
    parser.add_argument(
        "--corpus", default="", help="folder or tar archive of robots.txt files"
    )
    parser.add_argument("--json", default="", help="file for all measured values")
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds and smaller inputs"
    )
    options = parser.parse_args(arguments)
    unknown = set(options.race) - set(RACES)
    if unknown:
        parser.error(f"unknown benchmark: {', '.join(sorted(unknown))}")
    return options


def machine() -> dict[str, str]:
    model = ""
    if sys.platform == "linux":
        lscpu = subprocess.run(["lscpu"], capture_output=True, text=True, check=False)
        lines = [line for line in lscpu.stdout.splitlines() if "Model name" in line]
        model = lines[0].partition(":")[2].strip() if lines else ""
    names = ("scrapy", "twisted", "protego")
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": model,
        **{name: version(name) for name in names},
    }


if __name__ == "__main__":
    sys.exit(main())
