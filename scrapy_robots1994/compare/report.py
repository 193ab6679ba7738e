"""A comparison as text, as JSON, and as one HTML page that loads nothing.

The page is a fixed template with the JSON in it, whose strings its script shows as text: what
a file, a URL or a robot is called can become neither markup nor script.
"""

import base64
import hashlib
import json
import platform
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from scrapy_robots1994.compare.rows import Comparison, Row, Way
from scrapy_robots1994.compare.why import BY_CODE, CAUSES, MAX_BYTES
from scrapy_robots1994.escaping import escape_control_chars, escape_json
from scrapy_robots1994.parser.dialects import DIALECT_NAMES
from scrapy_robots1994.policy.outcomes import GROUPS, ROWS

FILES, ANSWERS, CRAWL, DRY_RUN = "files", "answers", "crawl", "dry run"
"""What was compared: files alone, answers of servers, or the requests of a crawl."""

_MAX_SHOWN = 300
_MIN_COLUMN = 11

CHANGE_WORDS = {
    "unchanged": ("unchanged", "each answer stays the same"),
    "opened": ("only opened", "URLs become allowed"),
    "closed": ("only closed", "URLs become disallowed"),
    "both": ("both", "some URLs become allowed, and others disallowed"),
}

# Below the table of answers.
_WAYS = (
    "stricter: disallows a URL that scrapy_robots1994 allows, so a switch opens the site",
    "laxer: allows a URL that scrapy_robots1994 disallows, so a switch closes the site",
)


@dataclass(frozen=True, slots=True)
class Report:
    """A comparison, and what it was about: *source* is one of the four words above."""

    subject: str
    comparison: Comparison
    metadata: Mapping[str, str]
    source: str
    notes: Sequence[str] = ()

    @property
    def all_notes(self) -> list[str]:
        """*notes*, and what the numbers leave out."""
        compared, notes = self.comparison, [*self.notes]
        if compared.skipped:
            notes.append(f"Not compared: {compared.skipped:,} decisions.")
        for name in compared.parsers:
            if raised := compared.count(name, Way.RAISED):
                asked = f"{raised:,} of {compared.count(name):,} questions"
                notes.append(f"{name} failed on {asked}.")
        if any(row.cause is None for row in compared.rows):
            notes.append(
                f"Of files over {MAX_BYTES:,} bytes, and after 20 seconds at the close of a "
                "crawl, no causes are looked for."
            )
        return notes


def describe(dialect: str, *, robots: str, questions: str) -> dict[str, str]:
    """Return the metadata of a report."""
    return {
        "made": datetime.now(tz=timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "dialect": dialect,
        "robot": robots,
        "questions": questions,
        "versions": f"scrapy_robots1994 {version('scrapy_robots1994')}, "
        f"Scrapy {version('scrapy')}, Protego {version('protego')}, "
        f"Python {platform.python_version()}",
    }


def as_text(report: Report) -> str:
    """Return tables of the sites, the answers and the causes; of a single file, its rows too."""
    compared = report.comparison
    parsers, rows = compared.parsers, [*compared.rows]
    answers: dict[str, list[int | str]] = {
        it: [*(compared.count(it, way) for way in Way), _agreement(compared, it)]
        for it in parsers
    }
    causes = Counter(row.cause for row in rows if row.cause)
    of_parser = Counter((row.cause, row.parser) for row in rows)
    by_cause = {
        BY_CODE[it].words: [of_parser[it, parser] for parser in parsers]
        for it, _ in causes.most_common()
    }
    nothing = "No parser differs." if compared.questions else "Nothing was compared."
    parts = [
        _grid(
            "sites, by what changes",
            [title for title, _ in CHANGE_WORDS.values()],
            {it: [*compared.changes(it).values()] for it in parsers},
        ),
        _grid(
            "compared with scrapy_robots1994",
            [*(it.value for it in Way), "agreement"],
            answers,
        ),
        _grid("causes (of the examples)", parsers, by_cause) if causes else [nothing],
    ]
    if rows:
        parts[1] += _WAYS
    if len(compared.sites) == 1 and report.source in {FILES, ANSWERS}:
        parts += map(_row_lines, rows)
    return "\n\n".join("\n".join(part) for part in parts)


def _agreement(compared: Comparison, parser: str) -> str:
    whole = compared.count(parser)
    return f"{100 * compared.count(parser, Way.AGREE) / whole:.2f}%" if whole else "-"


def _grid(
    title: str, heads: Sequence[str], rows: Mapping[str, Sequence[int | str]]
) -> list[str]:
    """Return the lines of a table: names to the left, numbers to the right."""
    first = max(map(len, (title, *rows)))
    widths = [max(len(it) + 2, _MIN_COLUMN) for it in heads]

    def line(name: str, cells: Sequence[int | str]) -> str:
        texts = (f"{it:,}" if isinstance(it, int) else it for it in cells)
        padded = (f"{it:>{width}}" for it, width in zip(texts, widths, strict=True))
        return f"{name:{first}}" + "".join(padded)

    return [line(title, heads), *(line(*it) for it in rows.items())]


def _row_lines(row: Row) -> list[str]:
    """Return one difference in words."""
    url, robot = (escape_control_chars(it, _MAX_SHOWN) for it in (row.url, row.robot))
    why = "not looked for"
    if row.cause is not None:
        cause = BY_CODE[row.cause]
        why = cause.words + f" ({cause.clause})" * bool(cause.clause)
    if row.lines:
        why += f"; lines {', '.join(map(str, row.lines))}"
    lines = [f"{url} as {robot}", f"  scrapy_robots1994: {row.ours}"]
    lines.append(f"  {row.parser}: {row.says}")
    return [*lines, f"  cause: {why}", *[f"  {row.also}"] * bool(row.also)]


def as_plain(report: Report) -> dict[str, Any]:
    """Return the report as plain values, of which JSON and the page are made.

    Strings are as they are in files and URLs: nothing is escaped.
    """
    compared = report.comparison
    sites = [asdict(it) for it in compared.sites]
    return {
        "subject": report.subject,
        "metadata": dict(report.metadata),
        "source": report.source,
        "notes": report.all_notes,
        "files": len(sites),
        "not_compared": compared.skipped,
        "parsers": {
            it: {way.value: compared.count(it, way) for way in Way}
            | {"changes": compared.changes(it)}
            for it in compared.parsers
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
    """Return *report* as one JSON object."""
    return escape_json(json.dumps(as_plain(report), indent=1)) + "\n"


def as_html(report: Report) -> str:
    """Return *report* as one HTML page."""
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
        # No text in the data can end the script element.
        "DATA": text.replace("<", "\\u003c").replace(">", "\\u003e"),
    }
    # In one pass: a part may hold what looks like a placeholder.
    return re.sub("%([A-Z]+)%", lambda it: parts[it[1]], _part("report.html"))


def _part(name: str) -> str:
    return files("scrapy_robots1994.compare").joinpath(name).read_text("utf-8")


def _shown(value: Any) -> Any:
    """Return *value* with control characters escaped and long strings cut."""
    if isinstance(value, str):
        return escape_control_chars(value, _MAX_SHOWN)
    if isinstance(value, dict):
        return {_shown(name): _shown(it) for name, it in value.items()}
    return [_shown(it) for it in value] if isinstance(value, (list, tuple)) else value


FORMS = {".html": as_html, ".json": as_json}


def prepare(path: Path) -> None:
    """Create the folder of *path*. Raise `OSError` if the file cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.open("a").close()


def write_report(report: Report, path: Path) -> None:
    """Write *report* in the form that the extension of *path* names."""
    text = FORMS[path.suffix.lower()](report)
    path.write_text(text, "utf-8", newline="\n")
