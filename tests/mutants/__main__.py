"""`python -m tests.mutants [COUNT [SKIP]]` tries COUNT mutants, or all.

They come in an order that is mixed, and the same every time; SKIP leaves out the first.
Each one lives in a process of its own, where its room's quick tests run first; what
survives those meets all tests of the pure rooms. Survivors are printed at once.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.util
import os
import random
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis  # noqa: F401 (loaded once, before the processes part)
import pytest

from tests.mutants.mutations import Mutation, mutations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

PACKAGE = "scrapy_robots1994"
ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 100
"""Seconds of processor time after which a mutant that runs on counts as killed."""

SLOW = ("oracle", "any_bytes", "paths_agree", "dialects_agree", "corpus", "every_order")
ROOMS = {"standard": ("standard",), "upkeep": ("upkeep", "keeper"), "": ("keeper",)}


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module as the mutant."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self.name = name
        self.tree = ast.fix_missing_locations(tree)

    def find_spec(self, name: str, *_: Any) -> Any:
        """Find the mutant, and nothing else."""
        if name != self.name:
            return None
        return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant as the module."""
        code = compile(self.tree, f"<mutant of {module.__name__}>", "exec")
        exec(code, module.__dict__)  # noqa: S102 (a mutant is there to be run)


def sources() -> list[Path]:
    """The modules of the pure rooms."""
    base = ROOT / PACKAGE
    rooms = [*base.glob("standard/*.py"), *base.glob("upkeep/*.py")]
    # What a package only hands on is nothing to mutate.
    found = [path for path in rooms if path.name != "__init__.py"]
    return sorted([*found, base / "keeper.py"])


def mutant(path: Path, number: int) -> tuple[ast.Module, Mutation]:
    """The *number*-th mutant of a module, and what was changed."""
    tree = ast.parse(path.read_text("utf-8"))
    mutation = mutations(tree)[number]
    mutation.make()
    return tree, mutation


def survives(path: Path, tree: ast.Module, tests: Sequence[str]) -> bool:
    """Whether *tests* pass on a mutant, in a process of its own."""
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        sys.meta_path.insert(0, Mutated(name.removesuffix(".__init__"), tree))
        options = ["-x", "-q", "-p", "no:cacheprovider", "-o", "filterwarnings="]
        os._exit(int(pytest.main([*options, *tests])))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def quick_tests(path: Path) -> list[str]:
    """The tests of a module's room that take no time."""
    room = path.parent.name if path.parent.name in ROOMS else ""
    found = [file for each in ROOMS[room] for file in ROOT.glob(f"tests/{each}/test_*")]
    quick = [file for file in found if not any(word in file.name for word in SLOW)]
    return sorted(str(file) for file in quick)


ALL_TESTS = [str(ROOT / "tests" / room) for room in ("standard", "upkeep", "keeper")]


def main(count: int, skip: int) -> None:
    """Try a sample, and print each survivor and the share that was killed."""
    every = [
        (path, number)
        for path in sources()
        for number in range(len(mutations(ast.parse(path.read_text("utf-8")))))
    ]
    random.Random(1994).shuffle(every)  # noqa: S311 (the same order every time)
    tried = every[skip:][: count or None]
    survivors = 0
    for place, (path, number) in enumerate(tried, 1):
        tree, mutation = mutant(path, number)
        if survives(path, tree, quick_tests(path)) and survives(path, tree, ALL_TESTS):
            survivors += 1
            where = f"{path.relative_to(ROOT)}:{mutation.line}"
            sys.stdout.write(f"survives: {where}: {mutation.what}\n")
        killed = 100 * (1 - survivors / place)
        sys.stdout.write(f"{place} of {len(every)}: {killed:.1f} % killed\n")
        sys.stdout.flush()


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    main(*[*arguments, 0, 0][:2])
