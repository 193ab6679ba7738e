"""`python -m tools.proofs.public_projects [FOLDER]` runs unmodified public projects.

Each is cloned from GitHub into FOLDER (a temporary one by default), unless its clone
exists. It crawls a local server that answers for its hosts twice, with the add-on set
on the command line: once where no robots.txt disallows anything, and once where one
disallows a path. The requests, the items, the stats and the log must be what the test
pages and the rules of 1994 imply. It prints a table and the differences, and exits
with 1 if there are any.

It runs other people's code: read it before you pin another commit. All its
connections are redirected to the local server.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tools.proofs.public_projects.clones import changed, clone
from tools.proofs.public_projects.crawl import CrawlResult, crawl
from tools.proofs.public_projects.projects import PROJECTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tools.proofs.public_projects.spider_run import PublicProject

AT_ONCE = 2
"""The number of projects that crawl at the same time; they mostly wait."""

HEAD = (
    "project",
    "commit",
    "kind",
    "spiders",
    "pages, items, nothing disallowed",
    "pages, items, a path disallowed",
    "refused",
    "verdict",
)


def check_project(project: PublicProject, folder: Path) -> tuple[list[str], list[str]]:
    """Run all spiders of a project; return its table row and its differences."""
    home = clone(project, folder)
    unlike = changed(project, home)
    crawls: dict[bool, list[CrawlResult]] = {False: [], True: []}
    for run in project.runs:
        for disallows, results in crawls.items():
            results.append(crawl(run, home / project.folder, disallows=disallows))
    differs = [
        each for results in crawls.values() for one in results for each in one.differs
    ]
    differs += [unlike] if unlike else []
    row = [
        project.repository,
        project.commit[:10],
        project.kind,
        ", ".join(run.spider for run in project.runs),
        *(_counted(results) for results in crawls.values()),
        str(sum(one.refused for one in crawls[True])),
        "differs" if differs else "as promised",
    ]
    return row, [f"{project.repository}: {each}" for each in differs]


def _counted(results: Iterable[CrawlResult]) -> str:
    """Return the pages and items of each spider."""
    return "; ".join(f"{one.pages}, {one.items}" for one in results)


def main() -> int:
    """Run all projects, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER")
    target: Path | None = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(AT_ONCE) as executor:
        checked = list(
            executor.map(partial(check_project, folder=target or Path(name)), PROJECTS)
        )
    differs = [each for _, unlike in checked for each in unlike]
    rows = [HEAD, ["---"] * len(HEAD), *(row for row, _ in checked)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    print("\n".join([*lines, "", *differs]).rstrip())  # noqa: T201 - its interface
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
