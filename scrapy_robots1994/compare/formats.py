"""The two formats of a report: JSON, and one HTML page that can be viewed offline.

The page is a fixed template that contains the data as JSON. The script of the page shows
the data as text, so no text from a file or a URL can become markup.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from typing import Any

from scrapy_robots1994.compare.causes import Cause
from scrapy_robots1994.compare.impact import CHANGES
from scrapy_robots1994.compare.report import ComparisonReport, as_plain
from scrapy_robots1994.escaping import escape_control_chars, escape_json

_MAX_SHOWN = 300


def as_json(report: ComparisonReport) -> str:
    """Return *report* as one JSON object."""
    return escape_json(json.dumps(as_plain(report), indent=1)) + "\n"


def as_html(report: ComparisonReport) -> str:
    """Return *report* as one HTML page."""
    script = _part("report.js")
    digest = hashlib.sha256(script.encode()).digest()
    data = _shown(as_plain(report)) | {
        "cause_words": {it.value: [it.title, it.clause] for it in Cause},
        "change_words": {it.name: [it.title, it.meaning] for it in CHANGES},
    }
    text = json.dumps(data, separators=(",", ":"))
    parts = {
        "HASH": base64.b64encode(digest).decode("ascii"),
        "STYLE": _part("report.css"),
        "SCRIPT": script,
        # Escape `<` and `>`, so that no text in the data can end the script element.
        "DATA": text.replace("<", "\\u003c").replace(">", "\\u003e"),
    }
    # Replace all placeholders in one pass, so that text in a part cannot be mistaken for a
    # placeholder.
    return re.sub("%([A-Z]+)%", lambda it: parts[it[1]], _part("report.html"))


def _part(name: str) -> str:
    """Return the text of the file *name*, which is a part of the HTML page."""
    return files("scrapy_robots1994.compare").joinpath(name).read_text("utf-8")


def _shown(value: Any) -> Any:
    """Return *value* with control characters escaped and long strings truncated."""
    if isinstance(value, str):
        return escape_control_chars(value, _MAX_SHOWN)
    if isinstance(value, dict):
        return {_shown(name): _shown(it) for name, it in value.items()}
    return [_shown(it) for it in value] if isinstance(value, list) else value


FORMS: dict[str, Callable[[ComparisonReport], str]] = {
    ".html": as_html,
    ".json": as_json,
}


def check_folder(path: Path) -> None:
    """Create the folder of *path*. Raise `OSError` if no file can be written to the folder."""
    # If the folder is a file, let the next line raise an error with a better message.
    with suppress(FileExistsError):
        path.parent.mkdir(parents=True, exist_ok=True)
    TemporaryFile(dir=path.parent).close()


def write_report(report: ComparisonReport, path: Path) -> None:
    """Write *report* to *path*, in the format that belongs to the extension of *path*.

    If the report cannot be written, no partial file remains.
    """
    text = FORMS[path.suffix.lower()](report)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Choose an unpredictable name, and never open a file that already exists, because
    # other users might have write access to the folder.
    part = path.with_name(f".{token_hex(8)}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
