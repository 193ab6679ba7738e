"""Write the generated tables of the reference, `docs/generated/*.inc`.

    python docs/_ext/generated.py            writes the files
    python docs/_ext/generated.py --check    names stale files, and exits with 1 if there are any

The files are committed so that they can be read in the repository.
"""

from __future__ import annotations

import argparse
import ast
import sys
from dataclasses import fields
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings

from scrapy_robots1994 import Reason
from scrapy_robots1994.crawl import settings as crawl_settings
from scrapy_robots1994.crawl import stats as crawl_stats
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint.kinds import KINDS, Kind
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.parser.fields import FIELDS
from scrapy_robots1994.robotstxt import MAX_BYTES, RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

FOLDER = Path(__file__).parents[1] / "generated"
COMMANDS = ("robots-check", "robots-compare", "robots-lint")
# Examples with more lines are shortened.
MAX_LINES = 20
RANKS = {
    "first_named": "the first with a matching name",
    "longest_named": "the one with the longest name",
    "equally_named": "all with the longest name",
}


def documented(module: ModuleType, owner: str = "") -> dict[str, str]:
    """Map each attribute of *module*, or of its class *owner*, to the docstring below it."""
    body = ast.parse(Path(str(module.__file__)).read_text("utf-8")).body
    if owner:
        body = next(
            it.body for it in body if isinstance(it, ast.ClassDef) and it.name == owner
        )
    found = {}
    for it, below in pairwise(body):
        targets = it.targets if isinstance(it, ast.Assign) else []
        targets += [it.target] if isinstance(it, ast.AnnAssign) else []
        match below:
            case ast.Expr(ast.Constant(str(text))):
                names = (each.id for each in targets if isinstance(each, ast.Name))
                found |= dict.fromkeys(names, " ".join(text.split()))
    return found


def settings() -> str:
    texts, parts = documented(crawl_settings, "RobotsSettings"), []
    for each in fields(crawl_settings.RobotsSettings):
        name = crawl_settings.SETTING_PREFIX + each.name.upper()
        if group := each.metadata["group"]:
            parts.append(f"{group}\n{'=' * len(group)}\n")
        parts.append(
            f".. _setting-{name}:\n\n``{name}``\n    {texts[each.name]}\n\n"
            f"    Default: ``{each.metadata['default']!r}``. "
            f"Accepts {each.metadata['type'].accepts}.\n"
        )
    return "\n".join(parts)


def stats() -> str:
    texts = documented(crawl_stats)
    return "\n".join(
        f"``{key}``\n    {texts[name]}\n"
        for name, key in vars(crawl_stats).items()
        if name.isupper() and isinstance(key, str)
    )


def reasons() -> str:
    return "\n".join(
        f".. _reason-{it.value}:\n\n``{it.value}``\n    {it.meaning}\n" for it in Reason
    )


def cells(texts: Iterable[str]) -> list[str]:
    return [
        f"   {' ' if place else '*'} - {text}".rstrip()
        for place, text in enumerate(texts)
    ]


def problems() -> str:
    return "\n".join(
        f".. _{kind.code.lower()}:\n\n"
        f"``{kind.code}`` {kind.when[:1].upper()}{kind.when[1:]}\n"
        f"    {kind.severity.capitalize()}{', may open the site' * kind.opens}, "
        f"in ``{kind.dialect}``:\n\n"
        f"{example(kind.example)}    {message(kind)} {kind.advice}\n\n{example(kind.good)}"
        for kind in KINDS
    )


def message(kind: Kind) -> str:
    parsed = RobotsTxt.parse(kind.example, dialect=kind.dialect, limit=MAX_BYTES)
    found = next(it.message for it in parsed.problems if it.kind is kind)
    return f"{found[:1].upper()}{found[1:]}".replace("*", r"\*").replace("|", r"\|")


def example(body: str) -> str:
    """Return *body* as a code block, shortened and escaped."""
    lines = body.splitlines() or ["(404 Not Found)"]
    shown = lines if len(lines) <= MAX_LINES else [*lines[:3], "...", lines[-1]]
    code = "".join(
        f"        {escape_control_chars(it, 90)}".rstrip() + "\n" for it in shown
    )
    return f"    .. code-block:: text\n\n{code}\n"


def dialects() -> str:
    # Show only fields that some, but not all, dialects have.
    some = [it for it in FIELDS if 0 < len(it.dialects) < len(DIALECTS)]
    features = {
        "lists of names and paths": "has_lists",
        "``*`` and ``$`` in paths": "has_wildcards",
        "a blank line ends a record": "has_blank_lines",
    }
    every = DIALECTS.values()
    rows = [
        ("", *(f"``{name}``" for name in DIALECTS)),
        *(
            (
                f"``{it.name}``: {it.meaning}",
                *(yes(name in it.dialects) for name in DIALECTS),
            )
            for it in some
        ),
        *(
            (words, *(yes(getattr(it, name)) for it in every))
            for words, name in features.items()
        ),
        ("the record that applies", *(RANKS[it.rank.__name__] for it in every)),
    ]
    table = "\n".join(line for row in rows for line in cells(row))
    listed = "".join(f"``{it.name}``\n    {it.meaning}\n" for it in every)
    return (
        f"{listed}\nThey differ as follows:\n\n"
        f".. list-table::\n   :header-rows: 1\n   :stub-columns: 1\n\n{table}\n"
    )


def yes(has: bool) -> str:  # noqa: FBT001 - the value of a table cell
    return "yes" if has else ""


def options(command: str) -> str:
    (found,) = entry_points(group="scrapy.commands", name=command)
    instance = found.load()()
    instance.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    instance.add_options(parser)
    scrapy_parser = argparse.ArgumentParser(conflict_handler="resolve")
    ScrapyCommand.add_options(instance, scrapy_parser)
    # argparse has no public list of options.
    common = {action.dest for action in scrapy_parser._actions}  # noqa: SLF001 - not public
    actions = parser._actions  # noqa: SLF001 - not public
    ours = "\n".join(option(it) for it in actions if it.dest not in common)
    return f"{ours}\nScrapy's own options work too, such as ``-s NAME=VALUE``.\n"


def option(action: argparse.Action) -> str:
    choices = f"{{{','.join(action.choices)}}}" if action.choices else action.metavar
    value = "" if action.nargs == 0 else f" {choices or action.dest.upper()}"
    names = ", ".join(f"``{name}{value}``" for name in action.option_strings)
    text = ((action.help or "") % vars(action)).replace("*", r"\*").strip()
    return f"{names}\n    {text}\n"


def main(args: list[str]) -> int:
    tables = (settings, stats, reasons, problems, dialects)
    texts = {it.__name__: it() for it in tables}
    texts |= {f"options-{name}": options(name) for name in COMMANDS}
    stale = []
    for name, text in texts.items():
        file = FOLDER / f"{name}.inc"
        if not file.exists() or file.read_text("utf-8") != text:
            stale.append(file.name)
            if args != ["--check"]:
                file.write_text(text, "utf-8")
    if args == ["--check"] and stale:
        sys.stderr.write(f"stale (run docs/_ext/generated.py): {', '.join(stale)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
