"""Tests of evidence from other people, who are possibly hostile.

No code in the evidence runs, and no file outside the evidence is opened.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994 import Robots1994Middleware, SettingsError
from tests.commands.test_evidence import differences
from tests.crawl.test_evidence import RULES, recording
from tests.support import evidence
from tests.support.commands import scrapy
from tests.support.crawl import TIMEOUT_SECONDS, crawl
from tests.support.crawler import idle_crawler
from tests.support.project import Project
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Return the names of all our settings, from the error for an unknown setting."""
    settings = {"ROBOTSTXT_OBEY": True, "ROBOTS1994_QQQQQQQQQQ": 5}
    with pytest.raises(SettingsError) as raised:
        Robots1994Middleware(idle_crawler(settings))
    return re.findall(r"ROBOTS1994_\w+", str(raised.value).partition("settings are")[2])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the evidence of a crawl. Tests change only copies of the evidence."""
    folder = tmp_path_factory.mktemp("evidence")
    with Site() as site:
        site.robots(RULES)
        crawl([site.url("/a")], settings=recording(folder))
    return folder


@pytest.fixture
def project(recorded: Path, tmp_path: Path, site: Site) -> Project:
    """Return a project with a folder of evidence. The folder of evidence also contains
    a hostile module.
    """
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
    """A setting in a warcinfo record does not open a file, and does not import a module.

    The hostile module is in the project's folder, from which the command can import
    modules. `--verify` reports each of our settings.
    """
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
    """Add *lines* to the first record of *warc*."""
    block = evidence.members(warc)[0].partition(b"\r\n\r\n")[2]
    more = "".join(f"{it}\r\n" for it in lines).encode()
    replace_block(warc, 0, block.removesuffix(b"\r\n\r\n") + more)


@pytest.fixture
def folder(recorded: Path, tmp_path: Path) -> Path:
    """Return a copy of the evidence that a test may change."""
    return shutil.copytree(recorded, tmp_path / "evidence")


def make_socket(path: Path) -> None:
    """Make a socket at *path*.

    The path can be too long for a bind, so the socket is bound elsewhere and then moved.
    """
    short = Path(tempfile.gettempdir(), path.name[-20:])
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short))
    short.rename(path)


SPECIAL: dict[str, Callable[[Path], object]] = {
    "is not a regular file": os.mkfifo,
    "is not a regular file ": Path.mkdir,
    "is not a regular file  ": make_socket,
    "links out of its folder": lambda path: path.symlink_to(outside(path)),
    "links out of its folder ": lambda path: path.symlink_to("../outside"),
}


def outside(path: Path) -> Path:
    """Return a path outside the folder of *path*, to which the file at *path* is moved."""
    return path.parent.parent / "outside"


@pytest.mark.parametrize("why", SPECIAL)
@pytest.mark.parametrize("kind", ["jsonl", "warc"])
def test_no_file_of_evidence_is_opened_but_regular_ones_inside(
    folder: Path, kind: str, why: str
) -> None:
    """Pipes, folders, sockets and links out of the folder are reported, but not opened."""
    (path,) = folder.glob(f"*.{kind}.gz")
    path.rename(outside(path))
    SPECIAL[why](path)

    found = differences(folder)
    assert f"{path.name}: " in found[0]
    assert found[0].endswith(f"it {why.strip()}")
    # The command must read neither the journal nor the WARC.
    assert [it for it in found[1:] if kind == "jsonl" or "is not in" not in it] == []


def test_link_inside_the_folder_of_evidence_is_read(folder: Path) -> None:
    """A link to another place inside the folder of evidence is followed."""
    for path in list(folder.iterdir()):
        (folder / "all").mkdir(exist_ok=True)
        path.rename(folder / "all" / path.name)
        path.symlink_to(Path("all", path.name))

    assert differences(folder) == []


PEAK = """
import atexit, re, sys
from pathlib import Path
from scrapy.cmdline import execute
peak = lambda: re.search(r"VmHWM.*", Path("/proc/self/status").read_text())[0]
atexit.register(lambda: sys.stderr.write(peak()))
execute()
"""


def verify(folder: Path, *args: str) -> tuple[list[str], int]:
    """Run `robots-check --evidence`, and return its output lines and peak memory in MB."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, "robots-check", "--evidence", str(folder), *args],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    *_, peak = re.findall(r"VmHWM:\s+(\d+) kB", done.stderr)
    return done.stdout.splitlines(), int(peak) // 1_000


MAX_PEAK = 300
"""The maximum memory of the command in MB. Scrapy itself takes half of the maximum
memory.
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("line", "not read from line 3 on: the line exceeds 1,000,000 bytes"),
        ("first line", "not read from line 1 on: the line exceeds 1,000,000 bytes"),
        ("warcinfo", "exceeds 65,536 bytes, and is not read"),
        ("record", "exceeds 256,000,000 bytes"),
        ("header", "a record's header exceeds 262,144 bytes"),
        ("body", "digest is 'sha256:"),
    ],
)
def test_of_packed_evidence_only_the_beginning_is_read(
    folder: Path, place: str, named: str
) -> None:
    """If a part of the evidence unpacks to 100 MB or more, only the beginning of this
    part is read.

    The huge part is a line, a warcinfo, a record, a header, or an answer.
    """
    (journal,), (warc,) = evidence.journals(folder), evidence.warcs(folder)
    huge = (260_000_000 if place == "record" else 100_000_000) * b"x"
    if place == "line":
        evidence.write_members(journal, [*evidence.members(journal), huge])
    elif place == "first line":
        evidence.write_members(journal, [huge])
    elif place == "warcinfo":
        replace_block(warc, 0, huge)
    elif place == "record":
        replace_block(warc, 2, b"HTTP/1.1 200 OK\r\n\r\n" + huge)
    elif place == "header":
        evidence.write_members(
            warc, [b"WARC/1.1\r\nX: " + huge, *evidence.members(warc)]
        )
    else:
        add_to_warcinfo(warc, ["ROBOTS1994_MAX_BYTES: 1000000000"])
        packed = gzip.compress(b"User-agent: *\nDisallow: /a\n" * 4_000_000)
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
        replace_block(warc, 2, head + packed)
    lines, peak = verify(folder, "--verify", "--json")

    *found, counts = map(json.loads, lines)
    assert named in "\n".join(it["difference"] for it in found)
    assert counts["differences"] == len(found)
    assert peak < MAX_PEAK


def test_differences_beyond_the_first_are_counted(folder: Path) -> None:
    """Of 5,000 differences, the text output shows twenty, and counts the other differences.

    With `--json`, all differences are printed. In this test, the compressed journal is
    small.
    """
    (journal,) = evidence.journals(folder)
    header, line = b"".join(evidence.members(journal)).splitlines(keepends=True)
    changed = line.replace(b'"rule": "/a"', b'"rule": "/b"')
    evidence.write_members(journal, [header, 5_000 * changed])
    lines, _ = verify(folder, "--verify")
    complete, _ = verify(folder, "--verify", "--json")

    assert len(lines) == 22
    assert lines[20] == "and 4,980 more"
    assert lines[21].endswith(": 5,000 differences")
    assert len(complete) == 5_001


def test_differences_beyond_the_first_are_counted_for_a_url(folder: Path) -> None:
    """For a URL, notes show twenty differences of the evidence, and one note counts the
    other differences.
    """
    (journal,) = evidence.journals(folder)
    header, line = b"".join(evidence.members(journal)).splitlines(keepends=True)
    changed = line.replace(b'"method": "GET"', b'"method": 5')
    evidence.write_members(journal, [header, 25 * changed + line])
    url = json.loads(line)["url"]
    result = scrapy("robots-check", "--evidence", str(folder), url)

    notes = [it for it in result.err.splitlines() if it.startswith("difference: ")]
    assert len(notes) == 21
    assert notes[-1] == "difference: and 5 more"


def test_text_of_a_warc_is_not_printed_by_its_reader(folder: Path) -> None:
    """Unexpected text of a WARC is not printed, because the text can be a command for a
    CI system.

    The unexpected text is after a block, or in a URL with spaces.
    """
    (warc,) = evidence.warcs(folder)
    unpacked = evidence.members(warc)
    unpacked[1] = unpacked[1].removesuffix(b"\r\n\r\n") + b"##[error]x\r\n\r\n"
    unpacked[2] = unpacked[2].replace(b"/robots.txt", b"/ ##[error]x", 1)
    evidence.write_members(warc, unpacked)

    for args in (
        ("robots-check", "--evidence", str(folder), "--verify"),
        ("robots-check", "--robots", str(warc), "http://a.test/"),
        ("robots-compare", str(warc), "--parsers", "Protego"),
    ):
        result = scrapy(*args)
        assert "##" not in result.out + result.err
        assert "a record is longer than its header says" in result.out + result.err


@pytest.mark.parametrize(
    "change",
    [
        {"url": 5},
        {"time": None},
        {"line": "2"},
        {"record": ["x"]},
        {"more": 1},
        {"dialect": None},
        {"robot": {}},
    ],
    ids=str,
)
def test_line_with_other_values_is_no_decision(
    folder: Path, change: dict[str, object]
) -> None:
    """A line of a journal with a wrong type, or with an unknown key, is not a decision."""
    (journal,) = evidence.journals(folder)
    header, (line,) = evidence.lines(journal)
    texts = [json.dumps(it).encode() + b"\n" for it in (header, line | change)]
    evidence.write_members(journal, texts)

    assert differences(folder) == [f"{journal.name}: line 2 is not a decision"]
    assert scrapy("robots-check", "--evidence", str(folder), line["url"]).code == 3


def test_long_id_names_no_record(folder: Path) -> None:
    """An id of more than 300 characters does not refer to a record.

    The length of an id is limited, because the ids and digests of a WARC are in memory.
    """
    (journal,), (warc,) = evidence.journals(folder), evidence.warcs(folder)
    (response,) = evidence.captures(warc, "response")
    name = response.record.encode()
    for path, count in ((warc, 2), (journal, 1)):
        for _ in range(count):
            evidence.change(path, name, name.upper() + b"x" * 300)

    assert "is not in" in differences(folder)[-1]


@pytest.mark.parametrize("decision", ["refused", "unchecked"])
def test_long_values_of_a_decision_are_cut_where_it_is_shown(
    folder: Path, decision: str
) -> None:
    """If values of a decision are very long, the output about its URL is still short."""
    (journal,) = evidence.journals(folder)
    header, (line,) = evidence.lines(journal)
    long = dict.fromkeys(("time", "record", "reason", "failure"), "1" * 200_000)
    changed = line | long | {"decision": decision, "url": line["url"] + "y" * 200_000}
    texts = [json.dumps(it).encode() + b"\n" for it in (header, changed)]
    evidence.write_members(journal, texts)
    result = scrapy("robots-check", "--evidence", str(folder), line["url"])

    assert result.code == 3
    assert len(result.out) < 4_000


@pytest.mark.parametrize("key", ["record", "rule", "digest", "robot"])
def test_long_value_of_a_line_is_cut_in_its_difference(folder: Path, key: str) -> None:
    """A line with a value of 900 KB is read, but at most 1,000 characters are printed."""
    (journal,) = evidence.journals(folder)
    header, (line,) = evidence.lines(journal)
    changed = line | {key: "*" + "x" * 900_000}
    texts = [json.dumps(it).encode() + b"\n" for it in (header, changed)]
    evidence.write_members(journal, texts)

    found = differences(folder)
    assert [it for it in found if len(it) > 1_000] == []
    # For a robot with another name, the record for all robots still decides.
    assert bool(found) is (key != "robot")


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "/etc/passwd", "x" * 5_000, "\0.warc.gz", "../outside", 5, None],
)
def test_name_of_a_warc_in_a_journal_opens_no_file(folder: Path, name: object) -> None:
    """The WARC of a journal is the file with the name of the journal, whatever the header
    of the journal says.
    """
    (journal,), (warc,) = evidence.journals(folder), evidence.warcs(folder)
    header, lines = evidence.lines(journal)
    texts = [
        json.dumps(it).encode() + b"\n" for it in (header | {"warc": name}, *lines)
    ]
    evidence.write_members(journal, texts)
    assert differences(folder) == []

    warc.rename(outside(warc))
    assert differences(folder)[0] == f"{warc.name} is missing"


def replace_block(warc: Path, number: int, block: bytes) -> None:
    """Replace the block of record *number* of *warc*, and remove the digests of the record."""
    unpacked = evidence.members(warc)
    head = unpacked[number].partition(b"\r\n\r\n")[0]
    head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(block), head)
    head = re.sub(rb"\r\nWARC-\w+-Digest: [^\r]*", b"", head)
    unpacked[number] = b"%s\r\n\r\n%s\r\n\r\n" % (head, block)
    evidence.write_members(warc, unpacked)
