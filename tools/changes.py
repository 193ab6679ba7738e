"""Count the sites that `1994` and `rfc9309` open or close, compared with Protego.

`python -m tools.changes NAME=FILE... NAME=FILE...` compares each group of robots.txt files or
folders, and prints the table in `docs/_generated/sites.rst`. `--picture REPORT` takes
screenshots of that report for the documentation (`docs/_static/report-….png`).
"""

from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scrapy.settings.default_settings import USER_AGENT

from tests.support import browser as browsers

PICTURES = Path(__file__).parents[1] / "docs" / "_static"
DIALECTS = ("1994", "rfc9309")
WIDTH = 1280


def report_of(files: list[str], path: Path) -> dict[str, Any]:
    command = (sys.executable, "-m", "scrapy", "robots-compare", *files, "--json")
    options = ("--robot", USER_AGENT, "--parsers", "Protego", "--report", str(path))
    done = subprocess.run((*command, *options), stdout=subprocess.PIPE, check=True)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def shares(report: dict[str, Any], dialect: str) -> str:
    """Return the percentages of sites that *dialect* opens and that it closes, as text."""
    (parser,) = report["parsers"]
    changes = Counter(
        it["parsers"][parser]["dialects"][dialect] for it in report["sites"]
    )
    sites = changes.total()
    opens, closes = (changes[it] + changes["both"] for it in ("opened", "closed"))
    return f"{100 * opens / sites:.1f} · {100 * closes / sites:.1f}"


def table(reports: dict[str, dict[str, Any]]) -> str:
    made = datetime.now(tz=timezone.utc).strftime("%Y-%m-%d")
    lines = [
        f".. From tools/changes.py on {made} (Protego {version('protego')}).",
        "",
        ".. csv-table::",
        "   :class: numbers",
        f"   :header: files, sites, {', '.join(DIALECTS)}",
        "",
    ]
    for name, report in reports.items():
        cells = (shares(report, dialect) for dialect in DIALECTS)
        lines.append(f'   {name}, "{report["files"]:,}", {", ".join(cells)}')
    return "\n".join(lines) + "\n"


def render(page: Path) -> None:
    """Write screenshots of the top of the report *page*, in light and dark mode."""
    with (
        tempfile.TemporaryDirectory() as profile,
        browsers.chromium(Path(profile)) as browser,
    ):
        for scheme in ("light", "dark"):
            with browsers.screen(browser, WIDTH, scheme):
                browser.get(page.absolute().as_uri())
                shot = browser.execute_cdp_cmd("Page.captureScreenshot", {})
            path = PICTURES / f"report-{WIDTH}-{scheme}.png"
            path.write_bytes(base64.b64decode(shot["data"]))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.changes")
    parser.add_argument("groups", nargs="*", metavar="NAME=FILE")
    parser.add_argument("--picture", metavar="REPORT", type=Path)
    options = parser.parse_args(arguments)
    if options.picture:
        render(options.picture)
    groups: dict[str, list[str]] = {}
    for argument in options.groups:
        name, equals, file = argument.rpartition("=")
        if not equals and not groups:
            parser.error(f"{file} has no group: write NAME={file}")
        if equals:
            group = groups.setdefault(name, [])
        group.append(file)
    reports = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, files in groups.items():
            reports[name] = report_of(files, Path(folder) / f"{name}.html")
    if reports:
        sys.stdout.write(table(reports))
    return 0


if __name__ == "__main__":
    sys.exit(main())
