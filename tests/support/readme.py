"""What the README has a reader type or copy, and what it says will come of it.

A test that runs a command of the README asks for it here, word for word; so the walk in
`tests/test_readme_runs.py` can tell which commands no test runs.
"""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")

SHELL = {"console", "sh"}
PROGRAM = re.compile(
    r"(apt-get|git|pip|python3?|scrapy|tox|venv/bin/\w+) \S|"
    r"(tox|\.ci/run|example_project/\w+|tests/(run|bench))( |$)"
)
"""How a code span begins that is typed in a shell, not the name of something."""

NAME = re.compile(r"scrapy \S+")
"""The bare name of a command: its uses are typed with what it is asked."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: its language, its text, and the language of the one after it."""

    language: str
    body: str


@cache
def fences() -> tuple[Fence, ...]:
    """All fenced blocks in their order, those inside a list without its indent."""
    found = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", README, re.DOTALL | re.MULTILINE)
    return tuple(Fence(language, dedent(body)) for _, language, body in found)


def _block_command(fence: Fence) -> str:
    """What a shell block has a reader type; of several lines the first, and a mark."""
    lines = fence.body.strip().split("\n")
    if fence.language == "console":
        return lines[0].removeprefix("$ ")
    return lines[0] if len(lines) == 1 else f"{lines[0]} …"


@cache
def spans() -> frozenset[str]:
    """Every text in code marks outside of the blocks, on one line."""
    prose = re.sub(r"^ *```.*?^ *```$", "", README, flags=re.DOTALL | re.MULTILINE)
    return frozenset(" ".join(it.split()) for it in re.findall(r"`([^`]+)`", prose))


@cache
def commands() -> frozenset[str]:
    """Every command that the README shows, in a shell block or in a sentence."""
    blocks = {_block_command(it) for it in fences() if it.language in SHELL}
    inline = {it for it in spans() if PROGRAM.match(it) and not NAME.fullmatch(it)}
    return frozenset(blocks | inline)


def typed(command: str, **places: object) -> list[str]:
    """The words of *command*, which the README holds just so.

    *places* are the words in capitals that a reader replaces.
    """
    assert command in commands(), f"the README has no {command!r}"
    words = shlex.split(command)
    assert set(places) <= set(words), f"{command!r} has not all of {sorted(places)}"
    return [str(places.get(word, word)) for word in words]


def block(command: str) -> str:
    """The whole shell block that begins with *command* (see `commands`)."""
    (found,) = [
        it.body
        for it in fences()
        if it.language in SHELL and _block_command(it) == command
    ]
    return found


def told(command: str) -> str:
    """What the README says *command* tells: below it in its block, or the next text."""
    assert command in commands(), f"the README has no {command!r}"
    for at, fence in enumerate(fences()):
        if fence.language == "console" and _block_command(fence) == command:
            return fence.body.partition("\n")[2]
        if fence.language in SHELL and _block_command(fence) == command:
            return next(it.body for it in fences()[at:] if it.language == "text")
    _, _, after = README.partition(f"`{command}`")
    return next(
        it.body for it in fences() if it.language == "text" and it.body in after
    )


def text(part: str) -> str:
    """The one block of plain text that holds *part*."""
    (found,) = [it.body for it in fences() if it.language == "text" and part in it.body]
    return found


def code(part: str) -> str:
    """The one Python block that holds *part*."""
    (found,) = [
        it.body for it in fences() if it.language == "python" and part in it.body
    ]
    return found


def asked_for(function: str) -> set[str]:
    """Every text that this suite hands to the *function* of this module.

    It is written where the function is called, or stands under a name beside the call.
    """
    texts: set[str] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        source = path.read_text("utf-8")
        if f"{function}(" in source and "readme" in source:
            tree = ast.parse(source)
            names = {"readme." + function} | _imported(tree) & {function}
            for part in tree.body:
                texts |= _handed_over(part, names)
    return texts


def _imported(tree: ast.Module) -> set[str]:
    """The names that a file imports from this module."""
    return {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == __name__
        for alias in node.names
    }


def _handed_over(part: ast.stmt, functions: set[str]) -> set[str]:
    """The texts that one definition or statement hands to any of *functions*."""
    named: dict[str, object] = {}
    given: set[object] = set()
    for node in ast.walk(part):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            named |= {ast.unparse(it): node.value.value for it in node.targets}
    for node in ast.walk(part):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in functions:
            first = node.args[0]
            if isinstance(first, ast.Constant):
                given.add(first.value)
            else:
                given.add(named.get(ast.unparse(first)))
    return {it for it in given if isinstance(it, str)}
