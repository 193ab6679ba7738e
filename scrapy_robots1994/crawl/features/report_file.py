"""Where a report goes: its ending says what it is, its name may have holes."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from w3lib.url import file_uri_to_path

from scrapy_robots1994.compare import as_csv, as_html, as_json, required
from scrapy_robots1994.crawl.setting_types import suffix_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_robots1994.compare import ComparisonReport

FORMS: dict[str, Callable[[ComparisonReport], str]] = {
    ".html": as_html,
    ".json": as_json,
    ".csv": as_csv,
}


def check_libraries(path: str) -> None:
    """Raise `MissingExtra` when a report at *path* needs what is not installed."""
    if suffix_of(path) == ".html":
        required()


class _Holes:
    """What fills `%(name)s`: the time, else an attribute of the spider, as in FEEDS."""

    def __init__(self, spider: object) -> None:
        now = datetime.now(tz=timezone.utc).replace(microsecond=0, tzinfo=None)
        self._time = now.isoformat().replace(":", "-")
        self._spider = spider

    def __getitem__(self, key: str) -> Any:
        """The value for one hole; `KeyError` when the spider has none."""
        if key == "time":
            return self._time
        try:
            return getattr(self._spider, key)
        except AttributeError:
            raise KeyError(key) from None


def filled(path: str, spider: object) -> Path:
    """*path* with its holes filled; `ValueError` says which one cannot be."""
    try:
        text = path % _Holes(spider)
    except KeyError as error:
        msg = f"the spider has no attribute {error}"
        raise ValueError(msg) from None
    except (TypeError, ValueError) as error:
        msg = f"{error}; write %% for a per cent sign"
        raise ValueError(msg) from None
    if text.startswith("file:"):
        text = file_uri_to_path(text)
    return Path(text)


def write(report: ComparisonReport, path: Path) -> None:
    """Write *report* to *path* in the form of its ending; all of it or nothing."""
    text = FORMS[suffix_of(str(path))](report)
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
