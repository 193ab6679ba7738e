"""Evidence that others packed: nothing in it runs, and nothing outside of it is opened."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994 import Robots1994Middleware, SettingsError
from tests.crawl.test_evidence import RULES, recording
from tests.support import evidence
from tests.support.crawl import crawl
from tests.support.crawler import idle_crawler
from tests.support.project import Project
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = """
from pathlib import Path
Path(__file__).with_name("marker").touch()

class Store:
    pass

class Parser:
    from_crawler = classmethod(lambda *args: Path(__file__).with_name("marker").touch())
    allowed = from_crawler
"""


def settings_known() -> list[str]:
    """Return the names of all our settings, as the error for an unknown one lists them."""
    settings = {"ROBOTSTXT_OBEY": True, "ROBOTS1994_QQQQQQQQQQ": 5}
    with pytest.raises(SettingsError) as raised:
        Robots1994Middleware(idle_crawler(settings))
    return re.findall(r"ROBOTS1994_\w+", str(raised.value).partition("settings are")[2])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the evidence of a crawl; tests change copies of it."""
    folder = tmp_path_factory.mktemp("evidence")
    with Site() as site:
        site.robots(RULES)
        crawl([site.url("/a")], settings=recording(folder))
    return folder


@pytest.fixture
def project(recorded: Path, tmp_path: Path, site: Site) -> Project:
    """Return a project with evidence in its folder, and a module next to that."""
    made = Project.make(tmp_path, site)
    folder = shutil.copytree(recorded, tmp_path / "evidence")
    (folder / "notes.py").write_text(HOSTILE)
    return made


@pytest.mark.parametrize("is_verified", [True, False])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ROBOTS1994_STORE", "evidence.notes.Store://x"),
        ("ROBOTS1994_STORE", "sqlite:///opened.db"),
        ("ROBOTS1994_COMPARE", "evidence.notes.Parser"),
        ("ROBOTS1994_COMPARE", '["evidence.notes.Parser"]'),
        ("ROBOTS1994_EVIDENCE", "opened"),
        ("ROBOTSTXT_PARSER", "evidence.notes.Parser"),
        ("every setting", "evidence.notes.Store://x"),
        ("every setting", "file:opened.html"),
    ],
)
def test_setting_of_a_warcinfo_opens_and_imports_nothing(
    project: Project, name: str, text: str, is_verified: bool
) -> None:
    """The folder of the project is on the path of the command; each setting is named."""
    folder = project.folder / "evidence"
    (warc,) = evidence.warcs(folder)
    before = set(project.folder.rglob("*"))
    others = "ROBOTS1994_NOTHING", "ROBOTS1994_SPIDER_MODULES", "ADDONS"
    names = [*settings_known(), *others] if name == "every setting" else [name]
    add_to_warcinfo(warc, [f"{each}: {text}" for each in names])
    _, (line,) = evidence.lines(*evidence.journals(folder))
    args = ["--verify"] if is_verified else [line["url"]]
    command = ("robots-check", "--evidence", "evidence", "--json", *args)
    result = project.scrapy(*command)

    made = set(project.folder.rglob("*")) - before
    assert [it for it in made if "__pycache__" not in it.parts] == []
    out = [json.loads(it) for it in result.printed.splitlines()]
    if not is_verified:
        assert (result.code, out[0]["verdict"]["line"]) == (1, 2)
        return
    named = "\n".join(it["difference"] for it in out if "difference" in it)
    ours = [it for it in names if it.startswith("ROBOTS1994_")]
    assert result.code == (1 if ours else 0)
    assert [it for it in ours if it not in named] == []


def add_to_warcinfo(warc: Path, lines: list[str]) -> None:
    """Add *lines* to the first record of *warc*, which has no digest afterwards."""
    first, *rest = evidence.members(warc)
    head, _, block = first.partition(b"\r\n\r\n")
    block = block.removesuffix(b"\r\n\r\n")
    block += "".join(f"{it}\r\n" for it in lines).encode()
    head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(block), head)
    head = re.sub(rb"WARC-\w+-Digest: .*\r\n", b"", head)
    evidence.write_members(warc, [b"%s\r\n\r\n%s\r\n\r\n" % (head, block), *rest])
