"""Tests of the building itself: floors, forbidden imports, docstrings, budgets."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "scrapy_robots1994"

FLOORS = {
    "errors": 0,
    "origin": 0,
    "printable": 0,
    "standard": 1,
    "upkeep": 2,
    "pages": 2,
    "comparison": 2,
    "lint": 2,
    "needs": 3,
    "stores": 3,
    "keeper": 4,
    "plugin": 5,
}
"""The floor of each module or folder; a new one has to be given its floor here."""

FLOOR_OF_IO = 3
IO_AND_CLOCK = {"asyncio", "logging", "scrapy", "socket", "sqlite3", "time", "twisted"}
PLUGIN_ONLY = {"scrapy", "twisted"}
MOST_LINES = 300
"""The house aims at 250; this is where a file has become two."""

MOST_FUNCTION_LINES = 40

SILENCED = re.compile(r"type: ignore|noqa|pragma: no")
NAMED = r"type: ignore\[[\w, -]+\]  #|noqa: \w+(, \w+)* [-(]|no (cover|branch) [-(]"
EXPLAINED = re.compile(rf"({NAMED}) ?\w")

Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def sources(folder: str) -> list[str]:
    """Return every Python file below a folder of the repository, as path strings."""
    found = (ROOT / folder).rglob("*.py")
    return sorted(str(path.relative_to(ROOT)) for path in found)


@cache
def tree(path: str) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse((ROOT / path).read_text("utf-8"), path)


def room_of(path: str) -> str:
    """Return the module or folder right below the package that a file belongs to."""
    return Path(path).parts[1].removesuffix(".py")


def imports(path: str) -> Iterator[str]:
    """Yield the full name of every module that a file imports, anywhere in it."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


MODULES = [path for path in sources(PACKAGE) if path != f"{PACKAGE}/__init__.py"]
EVERYTHING = [*sources(PACKAGE), *sources("tests"), *sources("example_project")]


@pytest.mark.parametrize("path", MODULES)
def test_every_module_has_a_floor(path: str) -> None:
    """No module stands outside the building."""
    assert room_of(path) in FLOORS


@pytest.mark.parametrize("path", MODULES)
def test_imports_go_down_only(path: str) -> None:
    """A module imports its own folder and lower floors, and never the package root."""
    room = room_of(path)
    for name in imports(path):
        first, *rest = name.split(".")
        if first == PACKAGE:
            assert rest[0] in FLOORS, f"{path} imports {name} from the root"
            assert rest[0] == room or FLOORS[rest[0]] < FLOORS[room], (
                f"{path} on floor {FLOORS[room]} imports {name}"
            )


@pytest.mark.parametrize("path", MODULES)
def test_low_floors_know_no_io_and_no_clock(path: str) -> None:
    """Below the stores nothing reads a clock, a socket, a database or a log."""
    outside = {name.partition(".")[0] for name in imports(path)}

    if FLOORS[room_of(path)] < FLOOR_OF_IO:
        assert not outside & IO_AND_CLOCK


@pytest.mark.parametrize("path", MODULES)
def test_only_the_plugin_knows_scrapy(path: str) -> None:
    """Scrapy and Twisted are imported in plugin/ and nowhere else."""
    outside = {name.partition(".")[0] for name in imports(path)}

    assert room_of(path) == "plugin" or not outside & PLUGIN_ONLY


def test_no_two_modules_import_each_other() -> None:
    """Inside a folder too, the imports have no cycle."""
    graph = {name_of(path): set(needs_of(path)) for path in MODULES}

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def name_of(path: str) -> str:
    """Return the name by which a file of the package is imported."""
    return path[:-3].replace("/", ".").removesuffix(".__init__")


def needs_of(path: str) -> Iterator[str]:
    """Yield the modules of the package that a file imports, itself left out."""
    known = {name_of(module) for module in MODULES} - {name_of(path)}
    for name in imports(path):
        parent = name.rpartition(".")[0]
        if name in known or parent in known:
            yield name if name in known else parent


@pytest.mark.parametrize(
    "statement", ["", "; package.RobotsTxt.parse(b'').allowed('/', 'me')"]
)
def test_importing_the_package_imports_no_scrapy(statement: str) -> None:
    """Neither the import nor the use of the parser loads Scrapy or Twisted."""
    code = f"import sys, {PACKAGE} as package{statement}; print(*sys.modules)"

    loaded = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()

    assert not PLUGIN_ONLY & set(loaded)


@pytest.mark.parametrize("path", EVERYTHING)
def test_everything_public_has_a_docstring(path: str) -> None:
    """Modules, public classes and functions, and all tests say what they promise."""
    assert ast.get_docstring(tree(path)), f"{path} has no docstring"
    for node in _public(tree(path)):
        assert ast.get_docstring(node), f"{path}:{node.lineno}: {node.name}"


def _public(node: ast.Module | ast.ClassDef) -> Iterator[Documented]:
    """Yield public functions and classes, and the methods of these."""
    for child in node.body:
        if isinstance(child, Documented) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from _public(child)


@pytest.mark.parametrize("path", EVERYTHING)
def test_files_and_functions_stay_in_budget(path: str) -> None:
    """A file is one room of at most 300 lines, a function at most 40."""
    lines = (ROOT / path).read_text("utf-8").count("\n")
    assert lines <= MOST_LINES, f"{path} has {lines} lines"
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            long = (node.end_lineno or node.lineno) - node.lineno + 1
            assert long <= MOST_FUNCTION_LINES, f"{path}:{node.lineno}: {node.name}"


@pytest.mark.parametrize("path", sources(PACKAGE))
def test_no_line_is_split_but_by_1994(path: str) -> None:
    """1994 F2: str.splitlines() ends lines where the standard does not."""
    called = {
        node.func.attr
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }

    assert "splitlines" not in called


@pytest.mark.parametrize("path", EVERYTHING)
def test_comments_leave_no_work_and_silence_nothing_unexplained(path: str) -> None:
    """No to-do is left, and what is silenced is named and has its reason after it."""
    text = (ROOT / path).read_text("utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    for token in tokens:
        if token.type == tokenize.COMMENT:
            where = f"{path}:{token.start[0]}: {token.string}"
            assert not re.search(r"\b(TODO|FIXME|XXX)\b", token.string), where
            if SILENCED.search(token.string):
                assert EXPLAINED.search(token.string), where


def test_floors_are_told_from_low_to_high() -> None:
    """The table reads upwards, as the building does."""
    assert all(lower <= higher for lower, higher in pairwise(FLOORS.values()))
