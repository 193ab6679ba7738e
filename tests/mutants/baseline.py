"""What every test runs, and for how long: learned once, from the sources unharmed.

A test that never comes to a line cannot tell whether it was changed. That holds only
where a test runs the same way each time: examples are drawn from a fixed seed, and what
the package remembers between calls is forgotten before each test.
"""

from __future__ import annotations

import ast
import functools
import gc
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    import coverage

PACKAGE = "scrapy_robots1994"
ROOT = Path(__file__).resolve().parents[2]
AT_IMPORT = ""
"""In the place of a test: the line ran before any."""

Seconds: TypeAlias = dict[str, float]
"""Tests in the order to run them, each with how long it takes."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The seconds of each test, and the tests that came to each line of each file."""

    seconds: Seconds
    visits: Mapping[tuple[Path, int], frozenset[str]]
    modules: frozenset[str]

    def ran_at_import(self, path: Path, line: int, tree: ast.Module) -> bool:
        """Whether the statement at *line* ran before the first test, or never."""
        around = self._visitors((path, each) for each in _own_lines(tree, line))
        return AT_IMPORT in around or not around

    def tests_for(self, path: Path, line: int, tree: ast.Module) -> Seconds:
        """The tests that a change of *line* reaches, the quick ones first.

        Where it ran at import any test may be reached; these are the ones that use what
        it gives a name to, or stand in a file that says the name. What only others
        could tell counts as survived.
        """
        near = self._visitors((path, each) for each in _own_lines(tree, line))
        if AT_IMPORT in near or not near:
            near |= self._users(_named(tree, line))
        quickly = sorted(self.seconds, key=self.seconds.__getitem__)
        return {test: self.seconds[test] for test in quickly if test in near}

    def _users(self, names: set[str]) -> set[str]:
        """The tests that use what has one of *names*, or what was made of it."""
        users: set[str] = set()
        seen: set[str] = set()
        while names - seen:
            fresh, names = names - seen, set()
            seen |= fresh
            for path, line in _mentions(fresh):
                visitors = self.visits.get((path, line), frozenset())
                users |= visitors
                if AT_IMPORT in visitors:
                    names |= _named(_tree(path), line)
        named = _any_of(seen)
        files = {test.partition("::")[0] for test in self.seconds}
        telling = tuple(file for file in files if named.search(_text(ROOT / file)))
        return users | {test for test in self.seconds if test.startswith(telling)}

    def _visitors(self, places: Iterator[tuple[Path, int]]) -> set[str]:
        """The tests that came to one of *places*."""
        return set().union(*(self.visits.get(place, ()) for place in places))


@dataclass(slots=True)
class Noting:
    """The plugin of pytest that learns it."""

    traced: coverage.Coverage
    seconds: Seconds = field(default_factory=dict)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Note one test, which finds nothing that others left behind."""
        forget()
        self.traced.switch_context(item.nodeid)
        began = time.perf_counter()
        result = yield
        self.seconds[item.nodeid] = time.perf_counter() - began
        self.traced.switch_context(AT_IMPORT)
        return result


def forget() -> None:
    """Empty every `lru_cache` of the package."""
    for found in _caches():
        found.cache_clear()


@functools.cache
def _caches() -> list[Any]:
    """Every `lru_cache` of the package; all of it is imported before the first test."""
    caches = [it for it in gc.get_objects() if type(it) is type(forget_nothing)]
    return [it for it in caches if str(it.__module__).startswith(PACKAGE)]


@functools.lru_cache
def forget_nothing() -> None:
    """Stand for all functions whose results are kept."""


def _own_lines(tree: ast.Module, line: int) -> set[int]:
    """The lines of the innermost statement at *line*, without those inside of it."""
    statements = [it for it in ast.walk(tree) if isinstance(it, ast.stmt)]
    around = [it for it in statements if line in _lines(it)]
    innermost = min(around, key=lambda it: len(_lines(it)))
    own = set(_lines(innermost))
    for inside in ast.walk(innermost):
        if isinstance(inside, ast.stmt) and inside is not innermost:
            own -= set(_lines(inside))
    return own | {line}


def _lines(statement: ast.stmt) -> range:
    """All lines of a statement."""
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _named(tree: ast.Module, line: int) -> set[str]:
    """What the statements at *line* give a name to."""
    named = set()
    for it in ast.walk(tree):
        if not isinstance(it, ast.stmt) or line not in _lines(it):
            continue
        match it:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                named.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                named.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                named.add(name)
    return named


def _mentions(names: set[str]) -> Iterator[tuple[Path, int]]:
    """Where the package says one of *names*."""
    said = _any_of(names)
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        for number, text in enumerate(_text(path).split("\n"), 1):
            if said.search(text):
                yield path, number


def _any_of(names: set[str]) -> re.Pattern[str]:
    """What finds one of *names*; nothing where there is none."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names))) or '(?!)'})\b")


@functools.cache
def _tree(path: Path) -> ast.Module:
    """A module as it is."""
    return ast.parse(_text(path))


@functools.cache
def _text(path: Path) -> str:
    """A module as text."""
    return path.read_text("utf-8")
