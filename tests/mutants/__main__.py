"""`python -m tests.mutants [COUNT [SKIP]] [PART ...]` tries COUNT mutants, or all.

They come in an order that is mixed, and the same every time; SKIP leaves out the first.
A PART of a path, as `keeper.py` or `upkeep/`, leaves out all other modules. On each one
run the tests that come to what it changes, the quick ones first, each mutant in a
process of its own. Killed is what makes a test fail or never end. Survivors are printed
at once.
"""

from __future__ import annotations

import ast
import gc
import random
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.mutants.baseline import PACKAGE, ROOT, Baseline
from tests.mutants.learning import learn, warm
from tests.mutants.mutations import Mutation, mutations
from tests.mutants.trial import (
    ALL_TESTS,
    OPTIONS,
    Fewer,
    forked,
    functions,
    passes_anew,
    passes_in_place,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mutant: the *number*-th of a module."""

    path: Path
    number: int

    def made(self) -> tuple[ast.Module, Mutation]:
        """The module as the mutant, and what was changed."""
        tree = unharmed(self.path)
        mutation = mutations(tree)[self.number]
        mutation.make()
        return tree, mutation


class StatsRecorder:
    """Tries mutants, counts, and prints survivors and the share that was killed."""

    def __init__(self, learned: Baseline, count: int) -> None:
        self.learned, self.count = learned, count
        self.tried = self.survivors = 0

    def is_for_import(self, mutant: Mutant) -> bool:
        """Whether a mutant changes what happens at import."""
        _, mutation = mutant.made()
        tree = unharmed(mutant.path)
        return self.learned.ran_at_import(mutant.path, mutation.line, tree)

    def take(self, mutant: Mutant, items: Sequence[pytest.Item] = ()) -> None:
        """Try one mutant: in place where *items* are collected, else imported anew."""
        tree, mutation = mutant.made()
        tests = self.learned.tests_for(
            mutant.path, mutation.line, unharmed(mutant.path)
        )
        if items:
            passes = passes_in_place(mutant.path, tree, items, tests)
        else:
            passes = passes_anew(mutant.path, tree, tests)
        self.tried += 1
        self.survivors += passes
        if passes:
            where = f"{mutant.path.relative_to(ROOT)}:{mutation.line}"
            self.say(f"survives: {where}: {mutation.what}")
        if not self.tried % 50 or self.tried == self.count:
            share = 100 * (1 - self.survivors / self.tried)
            self.say(f"{self.tried} of {self.count}: {share:.1f} % killed")

    def say(self, line: str) -> None:
        """Print one line at once."""
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


class InPlace:
    """The plugin of pytest that tries mutants on the tests it has collected."""

    def __init__(self, tally: StatsRecorder, mutants: Sequence[Mutant]) -> None:
        self.tally, self.mutants = tally, mutants

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each, once all tests have passed in this order without any."""
        functions()
        gc.collect()
        gc.freeze()
        every = dict(sorted(self.tally.learned.seconds.items(), key=lambda it: it[1]))
        if forked(lambda: run(session.items, every), 0):
            raise RuntimeError("the tests fail without a mutant")
        for mutant in self.mutants:
            self.tally.take(mutant, session.items)
        return True


def unharmed(path: Path) -> ast.Module:
    """The module as it is."""
    return ast.parse(path.read_text("utf-8"))


def sources() -> list[Path]:
    """The modules of the pure rooms."""
    base = ROOT / PACKAGE
    rooms = [*base.glob("standard/**/*.py"), *base.glob("upkeep/*.py")]
    return sorted([*rooms, base / "keeper.py"])


def main(count: int, skip: int, parts: list[str]) -> int:
    """Try a sample."""
    every = [
        Mutant(path, number)
        for path in sources()
        if not parts or any(part in str(path.relative_to(ROOT)) for part in parts)
        for number in range(len(mutations(unharmed(path))))
    ]
    random.Random(1994).shuffle(every)  # noqa: S311 (the same order every time)
    tried = every[skip:][: count or None]
    tally = StatsRecorder(learn(), len(tried))
    warm(tally.learned)
    gc.collect()
    gc.freeze()
    at_import = {mutant for mutant in tried if tally.is_for_import(mutant)}
    tally.say(f"{len(at_import)} of {len(tried)} are tried anew, the others in place")
    for mutant in tried:
        if mutant in at_import:
            tally.take(mutant)
    others = [mutant for mutant in tried if mutant not in at_import]
    quietly = [*OPTIONS, "-s", "-p", "no:terminal"]
    return pytest.main(
        [*quietly, *ALL_TESTS], plugins=[Fewer(), InPlace(tally, others)]
    )


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    words = [word for word in sys.argv[1:] if not word.isdigit()]
    wanted, left_out, *_ = [*numbers, 0, 0]
    sys.exit(main(wanted, left_out, words))
