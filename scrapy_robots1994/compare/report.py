"""Write a comparison as text, JSON or a self-contained HTML page.

The page is a fixed template that contains the data as JSON. Its script inserts all strings as text,
so no file name, URL or robot can become markup or script.
"""

import base64
import hashlib
import json
import platform
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

from scrapy_robots1994.compare.rows import CHANGES, Row, SiteResult, Way
from scrapy_robots1994.compare.why import BY_CODE, CAUSES
from scrapy_robots1994.escaping import escape_control_chars, escape_json
from scrapy_robots1994.parser.dialects import DIALECT_NAMES
from scrapy_robots1994.policy.outcomes import GROUPS, ROWS

FILES, ANSWERS, CRAWL, DRY_RUN = "files", "answers", "crawl", "dry run"
"""What was compared: files, the answers of servers, or the requests of a crawl or dry run."""

_MAX_SHOWN = 300
_MIN_COLUMN = 11

CHANGE_WORDS = {
    "unchanged": ("unchanged", "each answer stays the same"),
    "opened": ("only opened", "URLs become allowed"),
    "closed": ("only closed", "URLs become disallowed"),
    "both": ("both", "some URLs become allowed, and others disallowed"),
}
"""The title and the meaning of each change in `CHANGES`."""

# Printed below the table of answers
_WAYS = (
    "stricter: disallows a URL that scrapy_robots1994 allows; switching allows it",
    "laxer: allows a URL that scrapy_robots1994 disallows; switching disallows it",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    subject: str
    source: str
    """`FILES`, `ANSWERS`, `CRAWL` or `DRY_RUN`."""
    dialect: str
    robots: str
    asked: str
    """What the parsers were asked about, such as "the requests of a crawl"."""
    parsers: Sequence[str]
    """The names of the other parsers, in order."""
    sites: Sequence[SiteResult]
    notes: Sequence[str] = ()

    @property
    def metadata(self) -> dict[str, str]:
        return {
            "made": datetime.now(tz=timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "dialect": self.dialect,
            "robot": self.robots,
            "questions": f"{self.questions:,}, {self.asked}",
            "versions": f"scrapy_robots1994 {_version_of('scrapy_robots1994')}, "
            f"Scrapy {_version_of('scrapy')}, Protego {_version_of('protego')}, "
            f"Python {platform.python_version()}",
        }

    def count(self, parser: str, *ways: Way) -> int:
        """Count the decisions of *parser* whose `Way` is in *ways*, or all if no way is given."""
        numbers = [it.parsers.get(parser, {}) for it in self.sites]
        return sum(each.get(way, 0) for each in numbers for way in ways or Way)

    def changes(self, parser: str) -> dict[str, int]:
        """Return the number of sites for each change in `CHANGES`."""
        found = (it.parsers[parser] for it in self.sites if parser in it.parsers)
        counts = Counter(it["change"] for it in found)
        return {it: counts[it] for it in CHANGES}

    @property
    def questions(self) -> int:
        return max(map(self.count, self.parsers), default=0)

    @property
    def rows(self) -> list[Row]:
        return [row for it in self.sites for row in it.rows]


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        # An egg may contain a package without its metadata.
        return "unknown"


def as_text(report: Report) -> str:
    """Return tables of sites, answers and causes. If a single file or answer was compared, list its
    rows too.
    """
    parsers, rows = report.parsers, report.rows
    start = f"{report.subject}\nquestions: {report.metadata['questions']}\n\n"
    if not report.questions:
        return f"{start}Nothing was compared."
    answers = {it: [report.count(it, way) for way in Way] for it in parsers}
    causes = Counter((it.cause, it.parser) for it in rows)
    by_frequency = Counter(it.cause for it in rows).most_common()
    parts = [
        _grid(
            "sites, by what changes",
            [title for title, _ in CHANGE_WORDS.values()],
            {it: [*report.changes(it).values()] for it in parsers},
        ),
        _grid("compared with scrapy_robots1994", [it.value for it in Way], answers),
    ]
    if rows:
        by_cause = {
            BY_CODE[it].words: [causes[it, parser] for parser in parsers]
            for it, _ in by_frequency
        }
        parts[1] += _WAYS
        parts.append(_grid("causes (of the examples)", parsers, by_cause))
    if len(report.sites) == 1 and report.source in {FILES, ANSWERS}:
        parts += map(_row_lines, rows)
    return start + "\n\n".join("\n".join(part) for part in parts)


def _grid(
    title: str, heads: Sequence[str], rows: Mapping[str, Sequence[int]]
) -> list[str]:
    first = max(map(len, (title, *rows)))
    widths = [max(len(it) + 2, _MIN_COLUMN) for it in heads]

    def line(name: str, cells: Iterable[str]) -> str:
        padded = (f"{it:>{width}}" for it, width in zip(cells, widths, strict=True))
        return f"{name:{first}}" + "".join(padded)

    numbers = ((name, map("{:,}".format, row)) for name, row in rows.items())
    return [line(title, heads), *(line(*it) for it in numbers)]


def _row_lines(row: Row) -> list[str]:
    cause = BY_CODE[row.cause]
    why = cause.words + f" ({cause.clause})" * bool(cause.clause)
    if row.lines:
        why += f"; lines {', '.join(map(str, row.lines))}"
    lines = [
        f"{row.url} as {row.robot}",
        f"  scrapy_robots1994: {row.ours}",
        f"  {row.parser}: {row.says}",
        f"  cause: {why}",
        f"  {row.also}",
    ]
    return [escape_control_chars(it, _MAX_SHOWN) for it in lines if it.strip()]


def as_plain(report: Report) -> dict[str, Any]:
    """Return the report as plain values for JSON and for the page. No string is escaped."""
    sites = [asdict(it) for it in report.sites]
    return {
        "subject": report.subject,
        "source": report.source,
        "metadata": report.metadata,
        "notes": [*report.notes],
        "files": len(sites),
        "parsers": {
            it: {way.value: report.count(it, way) for way in Way}
            | {"changes": report.changes(it)}
            for it in report.parsers
        },
        "dialects": [*DIALECT_NAMES],
        "bases": [[it.name, it.heading, it.words] for it in GROUPS],
        "settings": [
            [row.full_setting, row.statuses, [it.name for it in row.groups]]
            for row in ROWS
            if row.setting
        ],
        "rows": [row for it in sites for row in it.pop("rows")],
        "sites": sites,
    }


def as_json(report: Report) -> str:
    return escape_json(json.dumps(as_plain(report), indent=1)) + "\n"


def as_html(report: Report) -> str:
    script = _part("report.js")
    digest = hashlib.sha256(script.encode()).digest()
    data = _shown(as_plain(report)) | {
        "cause_words": {it.code: [it.words, it.clause] for it in CAUSES},
        "change_words": CHANGE_WORDS,
    }
    text = json.dumps(data, separators=(",", ":"))
    parts = {
        "HASH": base64.b64encode(digest).decode("ascii"),
        "STYLE": _part("report.css"),
        "SCRIPT": script,
        # Escape angle brackets, or text in the data could end the script element.
        "DATA": text.replace("<", "\\u003c").replace(">", "\\u003e"),
    }
    # Replace all placeholders at once, because a part may contain text that looks like one.
    return re.sub("%([A-Z]+)%", lambda it: parts[it[1]], _part("report.html"))


def _part(name: str) -> str:
    return files("scrapy_robots1994.compare").joinpath(name).read_text("utf-8")


def _shown(value: Any) -> Any:
    """Escape control characters in *value*, and cut long strings."""
    if isinstance(value, str):
        return escape_control_chars(value, _MAX_SHOWN)
    if isinstance(value, dict):
        return {_shown(name): _shown(it) for name, it in value.items()}
    return [_shown(it) for it in value] if isinstance(value, (list, tuple)) else value


FORMS = {".html": as_html, ".json": as_json}


def prepare(path: Path) -> None:
    """Create the file *path* and its folder, so that `OSError` is raised before the work begins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.open("a").close()


def write_report(report: Report, path: Path) -> None:
    """Write *report* as HTML or JSON, depending on the extension of *path*."""
    text = FORMS[path.suffix.lower()](report)
    path.write_text(text, "utf-8", newline="\n")
