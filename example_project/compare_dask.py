"""Compare this package with Protego on a folder of robots.txt files, using dask.

To run it, first `pip install dask toolz`, and then `python compare_dask.py FOLDER report.html`. The
report has the same form as one from `scrapy robots-compare`. By default, dask uses the processors
of this machine. To use a cluster, create `dask.distributed.Client("scheduler:8786")` at the
beginning of `main`.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import dask.bag
from scrapy.robotstxt import ProtegoRobotParser

from scrapy_robots1994 import RobotsTxt
from scrapy_robots1994.compare.questions import questions
from scrapy_robots1994.compare.report import FILES, Report, write_report
from scrapy_robots1994.compare.rows import Site, SiteResult, compare

DIALECT = "1994"
PARSERS = {"ProtegoRobotParser": partial(ProtegoRobotParser, spider=None)}


def compared(path: str) -> SiteResult:
    body = Path(path).read_bytes()
    site = Site(path, RobotsTxt.parse(body), PARSERS, DIALECT)
    return compare(site, questions("http://localhost", body))


def main(folder: str, path: str) -> None:
    names = sorted(str(it) for it in Path(folder).rglob("*") if it.is_file())
    report = Report(
        subject=f"{len(names):,} files in {folder}",
        source=FILES,
        dialect=DIALECT,
        robots="each robot that a file names, and one other robot",
        asked="a sample generated from the rules, not real requests",
        parsers=[*PARSERS],
        sites=dask.bag.from_sequence(names).map(compared).compute(),
    )
    write_report(report, Path(path))


if __name__ == "__main__":
    main(*sys.argv[1:])
