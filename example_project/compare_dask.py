"""Compare a folder of robots.txt files on a dask cluster, over the function that
`scrapy robots-compare` calls: `python compare_dask.py FOLDER report.html`.

Needs `pip install dask toolz`. `dask.distributed.Client("scheduler:8786")` names a cluster.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import dask.bag
from scrapy.robotstxt import ProtegoRobotParser

from scrapy_robots1994.compare.questions import questions
from scrapy_robots1994.compare.report import FILES, Report, describe, write_report
from scrapy_robots1994.compare.rows import Comparison, File, SiteResult, compare

DIALECT = "1994"
PARSERS = {"ProtegoRobotParser": partial(ProtegoRobotParser, spider=None)}


def compared(path: str) -> SiteResult:
    """Compare one file."""
    body = Path(path).read_bytes()
    asked, possible = questions("http://localhost", body)
    return compare(File(path, body), PARSERS, asked, DIALECT, possible)


def main(folder: str, report: str) -> None:
    """Compare the files of *folder*, and write *report*."""
    paths = sorted(str(it) for it in Path(folder).rglob("*") if it.is_file())
    sites = dask.bag.from_sequence(paths).map(compared).compute()
    metadata = describe(DIALECT, robots="all that a file names", questions="a sample")
    comparison = Comparison(DIALECT, [*PARSERS], sites)
    subject = f"{len(sites):,} files of {folder}"
    write_report(Report(subject, comparison, metadata, FILES), Path(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
