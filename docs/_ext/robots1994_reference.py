"""Sphinx directive ``.. robots1994:: KIND``, which inserts text generated from the code.

KIND is ``settings``, ``stats``, ``reasons``, ``outcomes``, ``problems``, ``dialects``, or
``options`` followed by the name of a command.

On all pages, the id of a clause, a decision or a problem (F5, O24, R005) links to its row.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import fields
from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.nodes import make_refnode, nested_parse_with_titles

from scrapy_robots1994 import Reason
from scrapy_robots1994.crawl import settings as crawl_settings
from scrapy_robots1994.crawl import stats as crawl_stats
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.lint.kinds import KINDS, Kind
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.parser.fields import FIELDS
from scrapy_robots1994.policy.outcomes import ROWS
from scrapy_robots1994.robotstxt import MAX_BYTES, RobotsTxt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


# The id of a clause, a decision or a problem. Each id has an anchor on a page.
CODE = re.compile(r"\b([A-Z]\d{1,3})\b")
UNLINKED = (nodes.reference, nodes.literal_block, nodes.doctest_block, nodes.title)


def link_codes(app: Sphinx, page: nodes.document, name: str) -> None:
    """Replace each id in the text of *page* with a link to the row of the id.

    *name* is the name of *page*.
    """
    labels = app.env.domains.standard_domain.anonlabels
    for text in list(page.findall(nodes.Text)):
        node, owners = text.parent, []
        while node is not None:
            owners.append(node)
            node = node.parent
        if any(isinstance(it, UNLINKED) for it in owners):
            continue
        parts: list[nodes.Node] = []
        for place, part in enumerate(CODE.split(text)):
            target, anchor = (
                labels.get(part.lower(), ("", "")) if place % 2 else ("", "")
            )
            # Do not link the id at the beginning of its own row.
            is_row = target == name and part == text.parent.astext()
            if target and not is_row:
                made = make_refnode(app.builder, name, target, anchor, nodes.Text(part))
                parts.append(made)
            elif part:
                parts.append(nodes.Text(part))
        text.parent.replace(text, parts)


def documentation(module: ModuleType, owner: str, name: str) -> str:
    """Return the docstring of the attribute *name* of *owner*.

    Raise `KeyError` if the attribute has no docstring.
    """
    docs = ModuleAnalyzer.for_module(module.__name__).find_attr_docs()
    return " ".join(docs[owner, name]).strip()


def settings(_: str) -> str:
    """Return every setting with its default, accepted values and meaning, in groups."""
    parts = []
    for each in fields(crawl_settings.RobotsSettings):
        name = crawl_settings.PREFIX + each.name.upper()
        if group := each.metadata["group"]:
            parts.append(f"{group}\n{'=' * len(group)}\n")
        parts.append(
            f".. _setting-{name}:\n\n``{name}``\n"
            f"    {documentation(crawl_settings, 'RobotsSettings', each.name)}\n\n"
            f"    Default: ``{each.metadata['default']!r}``. "
            f"Accepts {each.metadata['type'].accepts}.\n"
        )
    return "\n".join(parts)


def stats(_: str) -> str:
    """Return every stat key with its meaning."""
    return "\n".join(
        f"``{key}``\n    {documentation(crawl_stats, '', name)}\n"
        for name, key in vars(crawl_stats).items()
        if name.isupper() and isinstance(key, str)
    )


def reasons(_: str) -> str:
    """Return every reason for a verdict, with its name in stats and ``--json``."""
    return "\n".join(
        f".. _reason-{it.value}:\n\n``{it.value}``\n    {it.meaning}\n" for it in Reason
    )


def outcomes(_: str) -> str:
    """Return a table with the meaning of each answer to GET /robots.txt."""
    heads = ("id", "answer to GET /robots.txt", "policy", "fresh for")
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 6 30 44 20"]
    lines += ["   :class: decisions", "", *_cells(heads)]
    targets: set[str] = set()
    for row in ROWS:
        clause = row.clause.split()[0]
        policy = f"``{row.outcome.value}``: {row.doc_policy}"
        if row.setting:
            name = f"{crawl_settings.PREFIX}{row.setting}"
            other = "disallow" if row.allows else "allow"
            policy += f' (``{name} = "{row.default}"``, or ``"{other}"``)'
        target = "" if clause in targets else f".. _{clause.lower()}:\n\n       "
        targets.add(clause)
        lines += _cells((f"{target}{clause}", row.doc_answer, policy, row.doc_lifetime))
    return "\n".join(lines) + "\n"


def _cells(cells: Iterable[str]) -> list[str]:
    """Return one row of a list table."""
    return [
        f"   {'* ' if place == 0 else '  '}- {cell}" for place, cell in enumerate(cells)
    ]


def problems(_: str) -> str:
    """Return every kind of problem with an example, its message, and the advice."""
    return "\n".join(
        f".. _{kind.code.lower()}:\n\n"
        f"``{kind.code}`` {kind.when[:1].upper()}{kind.when[1:]}\n"
        f"    {kind.severity.capitalize()}{OPENS * kind.opens}, in ``{kind.dialect}``:\n\n"
        f"{_example(kind.example)}    {_message(kind)} {kind.advice}\n\n"
        f"{_example(kind.good)}"
        for kind in KINDS
    )


OPENS = ", may open the site"
# The example of a file over the size limit has many more lines.
MAX_LINES = 20


def _message(kind: Kind) -> str:
    """Return the message about the example of *kind*."""
    parsed = RobotsTxt.parse(kind.example, dialect=kind.dialect, limit=MAX_BYTES)
    found = next(it.message for it in parsed.problems if it.kind is kind)
    return f"{found[:1].upper()}{found[1:]}".replace("*", r"\*").replace("|", r"\|")


def _example(body: str) -> str:
    """Return the file *body* as a short block of code that is safe to print."""
    lines = body.splitlines() or ["(404 Not Found)"]
    shown = lines if len(lines) <= MAX_LINES else [*lines[:3], "...", lines[-1]]
    code = "".join(f"        {escape_control_chars(it, 90)}\n" for it in shown)
    return f"    .. code-block:: text\n\n{code}\n"


def dialects(_: str) -> str:
    """Return each dialect with its meaning, and a table of the differences."""
    # A field that all dialects have, or that no dialect has, is not a difference.
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
                f"``{field.name}``: {field.meaning}",
                *(_yes(it in field.dialects) for it in DIALECTS),
            )
            for field in some
        ),
        *(
            (words, *(_yes(getattr(it, name)) for it in every))
            for words, name in features.items()
        ),
        ("record that counts", *(it.rank.__name__.replace("_", " ") for it in every)),
    ]
    cells = "\n".join(line for row in rows for line in _cells(row))
    listed = "".join(f"``{it.name}``\n    {it.meaning}\n" for it in every)
    return (
        f"{listed}\nWhat each dialect has:\n\n"
        f".. list-table::\n   :header-rows: 1\n   :stub-columns: 1\n\n{cells}\n"
    )


def _yes(has: bool) -> str:  # noqa: FBT001 - a cell
    """Return the table cell that says whether a dialect has a feature."""
    return "yes" if has else ""


def options(command: str) -> str:
    """Return the options of *command* with the texts of ``scrapy COMMAND --help``."""
    (found,) = entry_points(group="scrapy.commands", name=command)
    instance = found.load()()
    instance.settings = Settings()
    parser = argparse.ArgumentParser(
        prog=f"scrapy {command}", conflict_handler="resolve"
    )
    instance.add_options(parser)
    scrapy_parser = argparse.ArgumentParser(conflict_handler="resolve")
    ScrapyCommand.add_options(instance, scrapy_parser)
    # argparse has no public list of the added options.
    common = {action.dest for action in scrapy_parser._actions}  # noqa: SLF001 - not public
    actions = parser._actions  # noqa: SLF001 - not public
    ours = "\n".join(_option(action) for action in actions if action.dest not in common)
    return f"{ours}\nScrapy's own options work too, such as ``-s NAME=VALUE``.\n"


def _option(action: argparse.Action) -> str:
    """Return one option as an item of a definition list."""
    choices = f"{{{','.join(action.choices)}}}" if action.choices else action.metavar
    value = "" if action.nargs == 0 else f" {choices or action.dest.upper()}"
    names = ", ".join(f"``{name}{value}``" for name in action.option_strings)
    text = ((action.help or "") % vars(action)).replace("*", r"\*").strip()
    return f"{names}\n    {text}\n"


WRITERS: dict[str, Callable[[str], str]] = {
    "settings": settings,
    "stats": stats,
    "reasons": reasons,
    "outcomes": outcomes,
    "problems": problems,
    "dialects": dialects,
    "options": options,
}


class Reference(Directive):
    """Insert generated text, as if the text were part of the page."""

    required_arguments = 1
    optional_arguments = 1
    option_spec: ClassVar[dict[str, Callable[[str], object]]] = {}

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the generated text."""
        kind, *argument = self.arguments
        # Build the page again each time, because Sphinx does not notice changes to the
        # code.
        self.state.document.settings.env.note_reread()
        text = WRITERS[kind](*argument or [""])
        lines: Iterable[str] = text.splitlines()
        source = f"<generated: {kind}>"
        node = nodes.Element()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(list(lines), source), node)
        return list(node.children)


def let_names_wrap(
    _app: Sphinx, _page: str, _template: str, context: dict[str, str], _tree: object
) -> None:
    """Allow line breaks after the separators of a name in code, so that tables do not break
    words.

    The text that a reader copies is unchanged.
    """
    # The `&` of an entity such as `&quot;` is no separator; `&amp;` is one.
    wrap = partial(re.sub, r"(&amp;|[_/.=?:,-])(?=[^\s<])", r"\1<wbr>")
    context["body"] = re.sub(
        r'(?<=<span class="pre">)[^<]+',
        lambda found: wrap(found[0]),
        context.get("body", ""),
    )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and the links."""
    app.connect("doctree-resolved", link_codes)
    app.connect("html-page-context", let_names_wrap)
    app.add_directive("robots1994", Reference)
    return {"parallel_read_safe": True}
