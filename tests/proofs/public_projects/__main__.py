"""`python -m tests.proofs.public_projects [FOLDER]` runs public projects as they are.

Each is cloned from GitHub into FOLDER, or one that goes afterwards, unless its clone is
there already; and crawls twice against a server here that answers for its hosts, with
the add-on set on the command line: where no robots.txt disallows anything, and where
one disallows a part. What the server saw, the items, the stats and the log must be what
our pages and the plainest reading of 1994 make them. It prints a table, tells below it
what differs, and ends with 1 if anything does.

It runs other people's code: read it before you pin another commit. What it connects to
is led to the server, wherever it wants to go.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.proofs.public_projects.clones import changed, clone
from tests.proofs.public_projects.projects import STRANGERS
from tests.proofs.public_projects.visit import Visit, visit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.proofs.public_projects.errand import Stranger

AT_ONCE = 2
"""Projects that crawl at once: most of their time is waiting."""

HEAD = (
    "project",
    "commit",
    "kind",
    "spiders",
    "pages, items, all open",
    "pages, items, a part closed",
    "refused",
    "verdict",
)


def meet(stranger: Stranger, folder: Path) -> tuple[list[str], list[str]]:
    """Run all spiders of a project; its row of the table, and what differs."""
    home = clone(stranger, folder)
    unlike = changed(stranger, home)
    visits: dict[bool, list[Visit]] = {False: [], True: []}
    for errand in stranger.errands:
        for closes, made in visits.items():
            made.append(visit(errand, home / stranger.folder, closes=closes))
    differs = [each for made in visits.values() for one in made for each in one.differs]
    differs += [unlike] if unlike else []
    row = [
        stranger.repository,
        stranger.commit[:10],
        stranger.kind,
        ", ".join(errand.spider for errand in stranger.errands),
        *(_counted(made) for made in visits.values()),
        str(sum(one.refused for one in visits[True])),
        "differs" if differs else "as promised",
    ]
    return row, [f"{stranger.repository}: {each}" for each in differs]


def _counted(visits: Iterable[Visit]) -> str:
    """Pages and items of each spider."""
    return "; ".join(f"{one.pages}, {one.items}" for one in visits)


def main() -> int:
    """Run all, print, and say by the exit code whether all is as promised."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER")
    given: Path | None = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(AT_ONCE) as crew:
        met = list(crew.map(partial(meet, folder=given or Path(name)), STRANGERS))
    differs = [each for _, unlike in met for each in unlike]
    rows = [HEAD, ["---"] * len(HEAD), *(row for row, _ in met)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    print("\n".join([*lines, "", *differs]).rstrip())  # noqa: T201 - its interface
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
