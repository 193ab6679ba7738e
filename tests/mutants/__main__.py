"""`python -m tests.mutants [COUNT [SKIP]]` tries COUNT mutants, or all, after SKIP others.

They come in an order that is mixed, and the same every time. Each one lives in a process of its own, where its room's quick tests run first, and what
survives them meets all tests of the pure rooms. Survivors are printed as they are found.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis  # noqa: F401 (loaded once, before the processes part)
import pytest

from tests.mutants.mutations import Mutation, mutations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

PACKAGE = "scrapy_robots1994"
ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240
"""Seconds after which a mutant that runs on and on counts as killed."""

SLOW = ("oracle", "any_bytes", "paths_agree", "dialects_agree", "corpus", "every_order")
ROOMS = {"standard": ("standard",), "upkeep": ("upkeep", "keeper"), "": ("keeper",)}


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports one module as the mutant."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self.name = name
        self.tree = ast.fix_missing_locations(tree)

    def find_spec(self, name: str, *_: Any) -> Any:
        """Find the mutant, and nothing else."""
        if name != self.name:
            return None
        return importlib.util.spec_from_loader(name, self)

    def get_source(self, fullname: str) -> str | None:
        """Have no source: the tree is all there is."""
        return None

    def get_code(self, fullname: str) -> CodeType:
        """Compile the mutant."""
        return compile(self.tree, f"<mutant of {fullname}>", "exec")

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant."""
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102 (that is it)


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
        signal.alarm(PATIENCE)
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
    is_slow = lambda file: any(word in file.name for word in SLOW)  # noqa: E731 (short)
    return [str(file) for file in sorted(found) if not is_slow(file)]


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
            print(f"survives: {where}: {mutation.what}", flush=True)  # noqa: T201
        killed = 100 * (1 - survivors / place)
        print(f"{place} of {len(every)}: {killed:.1f} % killed", flush=True)  # noqa: T201


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    main(*[*arguments, 0, 0][:2])
