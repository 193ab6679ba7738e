"""Check the internal links of pages, and the files, settings and stats that pages mention.

Usage: ``python docs/_ext/check_links.py docs/_build/html docs README.md``. Prints errors and exits
with 1 if

* the file or the anchor of an internal link does not exist
* the id of a clause, decision or problem (F5, O24, R005) does not link to its row
* a page mentions a file of this project, a setting or a stat that does not exist
"""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.settings import RobotsSettings

ROOT = Path(__file__).parents[2]
ROOTS = (ROOT, ROOT / "scrapy_robots1994")
NAMED_FILE = re.compile(
    r"``?((?:(?:tests|docs|example_project|scrapy_robots1994)/[\w./-]+)"
    r"|(?:[a-z]\w*/)+\w+\.py)``?"
)
SETTING = re.compile(r"ROBOTS1994_(?!TEST_|RECORD)([A-Z_]*[A-Z])")
STAT = re.compile(r"``(robots1994/[\w/{}]+)``")
MARKDOWN_LINK = re.compile(r"\]\(([^)\s]+)\)")


NOT_TEXT = ("a", "pre", "h1", "h2", "h3", "svg", "title", "script", "style")
CODE = re.compile(r"\b[A-Z]\d{1,3}\b")


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {"", "top"}
        self.codes: set[str] = set()
        self._open: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in NOT_TEXT:
            self._open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value and tag != "link":
                self.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        # Skip text that is only an id, as in the first column of a table.
        if not self._open and not CODE.fullmatch(data.strip()):
            self.codes.update(CODE.findall(data))


def broken_in_pages(folder: Path) -> list[str]:
    pages = {path.resolve(): Page(path) for path in folder.rglob("*.html")}
    rows = {it for page in pages.values() for it in page.anchors}
    found = []
    for path, page in pages.items():
        codes = (it for it in sorted(page.codes) if it.lower() in rows)
        found += [
            f"{path.relative_to(folder.resolve())}: {it} is not a link" for it in codes
        ]
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (
                (path.parent / unquote(parts.path)).resolve() if parts.path else path
            )
            anchors = pages[target].anchors if target in pages else {""}
            is_page = target in pages
            if not target.exists() or (
                is_page and unquote(parts.fragment) not in anchors
            ):
                found.append(f"{path.relative_to(folder.resolve())}: {link}")
    return found


def broken_in_markdown(path: Path) -> list[str]:
    links = MARKDOWN_LINK.findall(path.read_text("utf-8"))
    local = [link for link in links if not urlsplit(link).scheme]
    return [
        f"{path}: {link}"
        for link in local
        if not (path.parent / unquote(urlsplit(link).path)).exists()
    ]


def missing_files(path: Path) -> list[str]:
    named = {match[1] for match in NAMED_FILE.finditer(path.read_text("utf-8"))}
    return [
        f"{path}: {name}"
        for name in sorted(named)
        if not any((root / name.rstrip("/")).exists() for root in ROOTS)
    ]


def unknown_settings(path: Path) -> list[str]:
    known = {it.name.upper() for it in fields(RobotsSettings)}
    named = {*SETTING.findall(path.read_text("utf-8"))}
    return [f"{path}: no setting ROBOTS1994_{it}" for it in sorted(named - known)]


def unknown_stats(path: Path) -> list[str]:
    named = {*STAT.findall(path.read_text("utf-8"))}
    unknown = named.difference(map(str, vars(stats).values()))
    return [f"{path}: no stat {it}" for it in sorted(unknown)]


def main(arguments: list[str]) -> int:
    found = []
    for name in arguments:
        path = Path(name)
        sources = [path]
        if path.is_dir():
            found += broken_in_pages(path)
            sources = sorted(path.rglob("*.rst"))
        else:
            found += broken_in_markdown(path)
        for source in sources:
            found += missing_files(source)
            found += unknown_settings(source) + unknown_stats(source)
    for line in found:
        sys.stderr.write(f"broken: {line}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
