"""Read tables that are written as text, one row per line."""

from __future__ import annotations


def rows(table: str, columns: int) -> list[list[str]]:
    r"""Split the rows of *table* into cells at each `|`. Missing cells at the end are "".

    A line indented by six spaces continues the line above. Escapes such as `\n` are decoded.
    """
    lines = table.replace("\n      ", "").strip("\n").split("\n")
    cells = [list(map(str.strip, it.split("|"))) for it in lines]
    return [
        [it.encode("latin-1").decode("unicode_escape") for it in row]
        + [""] * (columns - len(row))
        for row in cells
    ]
