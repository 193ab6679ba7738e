"""What the source of the package names: meta keys, stats, the words of its signals.

Read from the syntax, not by a pattern: a key counts however it is set or asked for.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parents[2] / "scrapy_robots1994"
PLUGIN = PACKAGE / "plugin"
STATS = PLUGIN / "stats.py"

OUR_KEY = re.compile(r"_?robots1994\w*")
STAT = re.compile(r"(?<!\w)robots(1994|txt)/")


@cache
def _nodes(folder: Path) -> tuple[tuple[Path, ast.AST], ...]:
    """Every node of every file below *folder*, with its file."""
    return tuple(
        (path, node)
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


@cache
def _constants() -> dict[str, set[str]]:
    """The texts that stand under a name in capitals anywhere in the plugin."""
    found: dict[str, set[str]] = {}
    for _, node in _nodes(PLUGIN):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if (name := ast.unparse(target)).isupper():
                    found.setdefault(name, set()).update(_texts(node.value))
    return found


def _texts(node: ast.expr | None) -> set[str]:
    """The text that *node* is: a constant, or what stands under its name."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _constants().get(ast.unparse(node).rpartition(".")[2], set())
    return set()


def _is_meta(node: ast.expr) -> bool:
    """Whether *node* is the meta of a request or a response."""
    return ast.unparse(node).rpartition(".")[2] == "meta"


def _keys(node: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the nodes that are keys of a meta in *node*."""
    if isinstance(node, ast.Subscript) and _is_meta(node.value):
        yield node.slice
    elif isinstance(node, ast.Compare) and any(map(_is_meta, node.comparators)):
        yield node.left
    elif isinstance(node, ast.AugAssign) and _is_meta(node.target):
        yield from getattr(node.value, "keys", [])
    elif isinstance(node, ast.Call) and _is_meta(getattr(node.func, "value", node)):
        for given in node.args:
            yield from getattr(given, "keys", [given])


def meta_keys() -> set[str]:
    """Every key of a meta that the plugin reads, sets or takes out."""
    named: set[str] = set()
    for _, node in _nodes(PLUGIN):
        for key in _keys(node):
            named |= _texts(key)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            named |= {node.value} if OUR_KEY.fullmatch(node.value) else set()
    return named


def stats_elsewhere() -> list[tuple[str, str]]:
    """The stats that are named outside of their one file, with where."""
    return [
        (str(path.relative_to(PACKAGE)), text)
        for path, node in _nodes(PACKAGE)
        if path != STATS and isinstance(node, ast.Constant)
        for text in _texts(node)
        if STAT.search(text)
    ]


def stat_keys() -> set[str]:
    """The stats that are named in their one file."""
    return {
        text
        for path, node in _nodes(PLUGIN)
        if path == STATS and isinstance(node, ast.Constant)
        for text in _texts(node)
        if STAT.match(text)
    }


def signal_words() -> set[str]:
    """The names of what our signals hand to their handlers."""
    words: set[str] = set()
    for path, node in _nodes(PLUGIN):
        if not isinstance(node, ast.Call):
            continue
        if not ast.unparse(node.func).rpartition(".")[2].startswith("send_catch_log"):
            continue
        for keyword in node.keywords:
            words |= {keyword.arg} if keyword.arg else _dict_of(path, keyword.value)
    return words


def _dict_of(path: Path, node: ast.expr) -> set[str]:
    """The keys of the dict that stands under the name *node* in the file *path*."""
    keys = (
        it.value.keys
        for file, it in _nodes(PLUGIN)
        if file == path
        and isinstance(it, ast.Assign)
        and isinstance(it.value, ast.Dict)
        and ast.unparse(it.targets[0]) == ast.unparse(node)
    )
    return {text for found in keys for key in found for text in _texts(key)}
