"""A Sphinx extension that links ids to their rows, and lets long names wrap."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


# Ids of clauses, decisions and problems: F5, O24, R005
CODE = re.compile(r"\b([A-Z]\d{1,3})\b")
UNLINKED = (nodes.reference, nodes.literal_block, nodes.doctest_block, nodes.title)


def link_codes(app: Sphinx, page: nodes.document, name: str) -> None:
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
            # An id does not link to its own row.
            is_row = target == name and part == text.parent.astext()
            if target and not is_row:
                made = make_refnode(app.builder, name, target, anchor, nodes.Text(part))
                parts.append(made)
            elif part:
                parts.append(nodes.Text(part))
        text.parent.replace(text, parts)


def let_names_wrap(
    _app: Sphinx, _page: str, _template: str, context: dict[str, str], _tree: object
) -> None:
    """Let inline code wrap after separators."""
    wrap = partial(re.sub, r"(&amp;|[_/.=?:,-])(?=[^\s<])", r"\1<wbr>")
    body = re.sub(
        r'(?<=<span class="pre">)[^<]+',
        lambda found: wrap(found[0]),
        context.get("body", ""),
    )
    # Keep quotes readable in the source of the page.
    context["body"] = re.sub(
        r"(?<=>)[^<]+", lambda found: found[0].replace("&quot;", '"'), body
    )


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("doctree-resolved", link_codes)
    app.connect("html-page-context", let_names_wrap)
    return {"parallel_read_safe": True}
