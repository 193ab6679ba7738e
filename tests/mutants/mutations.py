"""Every small change that is tried on a source, each by itself."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
WORDS = ("annotation", "returns", "decorator_list", "bases", "args")
"""Fields of nodes that decide nothing, but for the arguments of a call."""

SENTENCE = re.compile(r"[a-z'`,;] [a-z\"`{]")
"""What only people read: two words with a space between."""

NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: where, what, and how to make it in the tree it was found in."""

    line: int
    what: str
    make: Callable[[], None]


def mutations(tree: ast.Module) -> list[Mutation]:
    """Every mutation of *tree*, in a fixed order.

    Left out is what runs never or says only something: annotations, docstrings,
    decorators, type checking, sentences of messages, tuples of slots and exports,
    names of type variables.
    """
    return [found for node in _code(tree) for found in _of(node)]


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below *node* that decide something."""
    for name, value in ast.iter_fields(node):
        if name in WORDS and not isinstance(node, ast.Call):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_words(child):
                yield child
                yield from _code(child)


def _is_words(node: ast.AST) -> bool:
    """Whether *node* only says something: to people, or to a type checker."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign):
        names = ast.unparse(node.targets[0]) in ("__all__", "__slots__")
        return names or ast.unparse(node.value).startswith("TypeVar(")
    return isinstance(node, (ast.JoinedStr, ast.Raise, ast.ImportFrom, ast.Import))


def _of(node: Any) -> Iterator[Mutation]:
    """The mutations of one node."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPS:
            yield _set(node, "ops", [SWAPS[type(op)]()])
        case ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in SWAPS:
            yield _set(node, "op", SWAPS[type(op)]())
        case ast.UnaryOp(op=ast.Not()):
            yield _set(node, "op", ast.Not(), operand=_not(node.operand))
        case ast.If() | ast.While() | ast.IfExp():
            yield _set(node, "test", _not(node.test))
        case ast.Return(value=value) if value and not _is_none(value):
            yield _set(node, "value", ast.Constant(None))
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            yield _set(node, "func", ast.Name(NAMES[name], ast.Load()))
        case ast.Constant(value=str(value)) if SENTENCE.search(value):
            return
        case ast.Constant(value=value) if value not in (None, "", b"", ...):
            yield _set(node, "value", _another(value))


def _another(value: Any) -> Any:
    """Another constant of the same kind."""
    match value:
        case bool():
            return not value
        case str():
            return f"XX{value}"
        case bytes():
            return b"XX" + value
    return value + 1


def _set(node: Any, name: str, value: Any, **more: Any) -> Mutation:
    """The mutation that gives *node* another field."""
    changes = {name: value} | more
    before = ast.unparse(node)[:60].replace("\n", " ")

    def make() -> None:
        for field, other in changes.items():
            setattr(node, field, other)

    what = f"{before}  ({name} of {type(node).__name__})"
    return Mutation(node.lineno, what, make)


def _not(test: ast.expr) -> ast.expr:
    """The opposite of *test*."""
    return ast.UnaryOp(ast.Not(), test)


def _is_none(value: ast.expr) -> bool:
    """Whether *value* is the constant `None`."""
    return isinstance(value, ast.Constant) and value.value is None
