"""One trial: tests run on one mutant, in a process forked from one that is warm.

A mutant of a function that did not run at import takes the function's place where all
is imported and all tests are collected; any other is imported anew, with its tests.
"""

from __future__ import annotations

import ast
import functools
import gc
import importlib.abc
import importlib.util
import os
import resource
import signal
import sys
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from tests.mutants.baseline import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

ROOMS = ("standard", "upkeep", "keeper", "lint", "test_readme.py")
ALL_TESTS = [str(ROOT / "tests" / room) for room in ROOMS]
"""The tests of the pure rooms, and of what the words of problems are held against."""

OPTIONS = ["-x", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
OPTIONS += ["-o", "filterwarnings=", "-o", "addopts=", "--hypothesis-profile=mutants"]

EXAMPLES = 150
"""As many are drawn at most, where the suite draws up to ten times as many."""

SLACK, TIMES = 10, 5
"""A test that takes so many seconds of processor time more than so many times as long
as without the mutant has no end."""
WALL = 20
"""Nor has one that waits, with or without work, so many times longer than that."""
MEMORY = 4 << 30

NO_TRIAL, NO_FUNCTION = 70, 71
"""Statuses of a process that ran no test: as the trial itself broke off, or as it did
not find what to change.
"""
PASSED = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
"""Statuses of a run in which no test failed: also where none was run, as the mutant
gave them other names.
"""

# The same examples every time; the first that fails is enough, and none is kept.
hypothesis.settings.register_profile(
    "mutants",
    deadline=None,
    derandomize=True,
    database=None,
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module as the mutant."""

    def __init__(self, path: Path, tree: ast.Module) -> None:
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        self.name = self.name.removesuffix(".__init__")
        self.folder = path.parent if path.name == "__init__.py" else None
        self.code = compiled(path, tree)

    def find_spec(self, name: str, *_: Any) -> Any:
        """Find the mutant, and nothing else."""
        if name != self.name:
            return None
        spec = importlib.util.spec_from_loader(name, self)
        if spec is not None and self.folder is not None:
            spec.submodule_search_locations = [str(self.folder)]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant as the module."""
        exec(self.code, module.__dict__)  # noqa: S102 (a mutant is there to be run)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The plugin of pytest that runs some tests alone, in the order of *seconds*.

    *seconds* is how long each of them takes without a mutant.
    """

    seconds: Mapping[str, float]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the others out."""
        place = {test: number for number, test in enumerate(self.seconds)}
        wanted = [item for item in items if item.nodeid in place]
        items[:] = sorted(wanted, key=lambda item: place[item.nodeid])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """End the process when the test does not end."""
        end_within(self.seconds[item.nodeid])


class Fewer:
    """The plugin of pytest that draws fewer examples: a mutant meets many tests."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Give tests of hypothesis settings of their own."""
        for item in items:
            test: Any = getattr(item, "obj", None)
            test = getattr(test, "__func__", test)
            drawn = getattr(test, "_hypothesis_internal_use_settings", None)
            if drawn is not None:
                test._hypothesis_internal_use_settings = fewer(drawn)
            case: Any = getattr(item, "cls", None)
            if isinstance(getattr(case, "settings", None), hypothesis.settings):
                case.settings = fewer(case.settings)


def fewer(drawn: hypothesis.settings) -> hypothesis.settings:
    """The same settings, with at most so many examples."""
    return hypothesis.settings(drawn, max_examples=min(drawn.max_examples, EXAMPLES))


def end_within(seconds: float) -> None:
    """End this process where what takes so long has no end."""
    patience = SLACK + TIMES * seconds
    signal.setitimer(signal.ITIMER_PROF, patience)
    signal.setitimer(signal.ITIMER_REAL, WALL * patience)


def forked(work: Callable[[], int], seconds: float) -> int:
    """Do *work*, which takes so long unharmed, in a child; its exit status."""
    child = os.fork()
    if not child:
        status = NO_TRIAL
        try:
            end_within(seconds)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            status = work()
        finally:
            os._exit(status)
    _, waited = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(waited)


def passes_anew(path: Path, tree: ast.Module, seconds: Mapping[str, float]) -> bool:
    """Whether the tests of *seconds* pass where a module is imported as the mutant."""

    def work() -> int:
        sys.meta_path.insert(0, Mutated(path, tree))
        files = sorted({test.partition("::")[0] for test in seconds})
        return int(
            pytest.main([*OPTIONS, "-q", *files], plugins=[Fewer(), Chosen(seconds)])
        )

    status = forked(work, SLACK)
    if status == NO_TRIAL:
        raise RuntimeError(f"no trial of a mutant of {path}")
    return status in PASSED


def passes_in_place(
    path: Path,
    tree: ast.Module,
    items: Sequence[pytest.Item],
    seconds: Mapping[str, float],
) -> bool:
    """Whether the tests of *seconds*, which are among *items*, pass with one function
    of a module changed; LookupError where it could not be changed.
    """

    def work() -> int:
        if not put_in_place(path, tree):
            return NO_FUNCTION
        return run(items, seconds)

    status = forked(work, SLACK)
    if status in (NO_FUNCTION, NO_TRIAL):
        raise LookupError(path)
    return status in PASSED


def run(items: Sequence[pytest.Item], seconds: Mapping[str, float]) -> int:
    """Run the tests of *seconds* that are among *items*, up to the first that fails."""
    chosen = list(items)
    Chosen(seconds).pytest_collection_modifyitems(chosen)
    for item, following in zip(chosen, [*chosen[1:], None], strict=True):
        end_within(seconds[item.nodeid])
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed:
            return int(pytest.ExitCode.TESTS_FAILED)
    return int(pytest.ExitCode.OK)


def put_in_place(path: Path, tree: ast.Module) -> bool:
    """Give every function of a module the code it has in the mutant; whether any of
    them changed.
    """
    before = {_key(code): code for code in _codes(_unharmed(path))}
    after = {_key(code): code for code in _codes(compiled(path, tree))}
    changed = {key for key, code in before.items() if after.get(key) != code}
    found = [
        function
        for function in functions()
        if function.__code__.co_filename == str(path)
        and _key(function.__code__) in changed
    ]
    for function in found:
        function.__code__ = after[_key(function.__code__)]
    return bool(found)


@functools.cache
def functions() -> list[FunctionType]:
    """Every function of the package; to be found before any is frozen."""
    every = [it for it in gc.get_objects() if type(it) is FunctionType]
    return [it for it in every if it.__code__.co_filename.startswith(str(ROOT))]


def _unharmed(path: Path) -> CodeType:
    """The code of a module as it is."""
    return compiled(path, ast.parse(path.read_text("utf-8")))


def compiled(path: Path, tree: ast.Module) -> CodeType:
    """The code of a module."""
    return compile(ast.fix_missing_locations(tree), str(path), "exec")


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of everything inside *code*."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _key(code: CodeType) -> tuple[str, int]:
    """What tells one function of a module from the others."""
    return code.co_name, code.co_firstlineno
