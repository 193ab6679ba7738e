"""Run the console samples of some pages, and compare the output: ``docs/_ext/samples.py docs``.

A local server stands in for the sites. Times, versions, counts, random ids and line breaks are not
compared. Prints the samples that differ, and exits with 1 if there are any. The sample of
``lint.rst`` is not run here: a test runs it.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE = re.compile(r"^    \$ (\S*scrapy .*)\n((?:    .+\n)+)", re.MULTILINE)
FILE = "User-agent: *\nDisallow: {}\n"
SPIDER = """
import scrapy

class WalkSpider(scrapy.Spider):
    name = "walk"
    custom_settings = {
        "ADDONS": {"scrapy_robots1994.Addon": 500}, "ROBOTS1994_EVIDENCE": "evidence/"
    }
    start_urls = ["https://example.com/archive/7"]
"""
VARYING = {
    r"-[0-9a-f]{8}(?=\.jsonl)": "-ID",
    r"\d{4}-\d\d-\d\dT[\d:.-]+Z?": "TIME",
    r"Scrapy/[\d.]+": "Scrapy/VERSION",
    r"\b[\d,]+ (file|decision|answer)s?\b": r"N \1",
    r"\s+": " ",
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path, disallowed: str) -> Iterator[str]:
    """Serve *folder* and a robots.txt that disallows *disallowed*, and yield the origin."""
    (folder / "robots.txt").write_text(FILE.format(disallowed))
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def plain(text: str) -> str:
    """Replace text that varies between runs, and collapse white space."""
    for pattern, word in VARYING.items():
        text = re.sub(pattern, word, text)
    return text.strip()


def run(command: str, folder: Path) -> tuple[str, str]:
    arguments = shlex.split(command)[1:]
    ran = subprocess.run(  # noqa: S603 - a command from our own pages
        [sys.executable, "-m", "scrapy", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout, ran.stderr


def differing(docs: Path, folder: Path) -> Iterator[str]:
    rows = (
        ("start.rst", "http://127.0.0.1:8994", "/private"),
        ("refusals.rst", "https://example.com", "/archive"),
        ("evidence.rst", "https://example.com", "/archive"),
    )
    for name, site, disallowed in rows:
        with served(folder, disallowed) as origin:
            page = (docs / name).read_text("utf-8").replace(site, origin)
            if name == "start.rst":
                spider = page.partition("import scrapy")[2].partition("\n\nRun it")[0]
                (folder / "first.py").write_text(f"if 1:\n    import scrapy{spider}\n")
                for made in ("open.html", "private.html"):
                    (folder / made).touch()
                log = run("scrapy runspider first.py", folder)[1]
                for line in re.findall(
                    r"^    ((?:Scraped|Forbidden) .*)", page, re.MULTILINE
                ):
                    if line not in log:
                        yield f"{name}: the log does not contain: {line}"
            if name == "evidence.rst":
                (folder / "walk.py").write_text(SPIDER.replace(site, origin))
                run("scrapy runspider walk.py", folder)
            for command, output in SAMPLE.findall(page):
                printed = run(command, folder)[0]
                # The page may leave out the end of the output.
                if not plain(printed).startswith(plain(output)):
                    yield f"{name}: {command} prints:\n{printed}"


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        found = list(differing(Path(arguments[0]), Path(folder)))
    for line in found:
        print(line)  # noqa: T201 - this is a program
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
