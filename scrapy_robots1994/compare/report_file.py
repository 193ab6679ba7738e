"""Write a report to a file, in the form that the ending of its name says."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_robots1994.compare.html import as_html
from scrapy_robots1994.compare.report import as_json
from scrapy_robots1994.compare.report_csv import as_csv

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_robots1994.compare.report import ComparisonReport

FORMS: dict[str, Callable[[ComparisonReport], str]] = {
    ".html": as_html,
    ".json": as_json,
    ".csv": as_csv,
}


def write_report(report: ComparisonReport, path: Path) -> None:
    """Write *report* to *path*: all of it, or nothing."""
    text = FORMS[path.suffix.lower()](report)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - of a handle
            file.write(text)
        # As if it had been opened the usual way; a temporary file is private.
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
