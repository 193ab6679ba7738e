"""The report of `robots-lint`: what each line does, in each dialect and format."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.corpus import corpus_files
from tests.support.forked import ROOT

SCRIPT = str(Path(sys.executable).with_name("robots-lint"))
WIDTH = 100


def lint(body: str | bytes, *args: str) -> str:
    """Return the output of the console script for the file *body*."""
    data = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else body
    done = subprocess.run(
        [SCRIPT, *args, "-"],
        input=data,
        capture_output=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert not done.stderr
    return done.stdout.decode()


def report(body: str, dialect: str = "1994") -> dict[str, Any]:
    """Return the decoded JSON report on the file *body*."""
    (file,) = json.loads(lint(body, "--format", "json", "--dialect", dialect))["files"]
    found: dict[str, Any] = file
    return found


EFFECTS = {
    "1994": """\
# hello|
User-agent: *|begins a record, for every robot not named
User-agent: rex|and for "rex"
Disallow: /tmp|forbids what begins with /tmp
Disallow:|forbids nothing
Disallow: a|matches nothing
Disallow: /|forbids everything
|ends the record
User-agent:|ignored: it names no robot
Disallow: /|ignored: no User-agent line in its record
Sitemap: x|ignored: this dialect has no such field
no colon|ignored: not of the form `field: value`
""",
    "revisited": """\
User-agent: Rex Max|begins a record, for "Rex" and "Max"
Disallow: /x /y|forbids what begins with /x or /y
Disallow: /a /b /c /d|forbids what begins with /a or /b or /c …
Disallow: /x y|forbids what begins with /x
Disallow: x y|matches nothing
Disallow: /x /|forbids everything
User-agent: a b c d|begins a record, for "a" and "b" and "c" …
""",
    "extended": """\
User-agent: a|begins a record, for "a"
Allow: /x|allows what begins with /x
Crawl-delay: 5|asks for a pause of 5 seconds
Crawl-delay: 10|asks for a pause of 10 seconds
Sitemap: y|
Crawl-delay: z|ignored: no number of seconds
""",
    "rfc9309": """\
User-agent: *|begins a record, for every robot not named
|
Disallow: /*.php$|forbids what matches /*.php$
Disallow: *|forbids what matches *
Disallow: /a|forbids what begins with /a
Disallow: http://h/|matches nothing
Allow: a|matches nothing
Allow:|allows nothing
Allow: /|allows everything
""",
}


@pytest.mark.parametrize(("dialect", "rows"), EFFECTS.items())
def test_each_line_has_its_effect(dialect: str, rows: str) -> None:
    """The report states the effect that each line has on a robot of the dialect."""
    lines, expected = zip(*(row.split("|") for row in rows.splitlines()), strict=True)

    found = report("\n".join(lines), dialect)["lines"]
    assert [line["effect"] for line in found] == list(expected)


TEXT = """\
-: 3 lines, 1 record, 2 errors
     1 User-agent: *                                begins a record, for every robot not named
     2 Disallow: a                                  matches nothing
       ^ 2:11 error R005 (O20): the value "a" does not begin with a slash and matches nothing.
         Write `Disallow: /a`, if the path begins at the root of the site.
     3 Disalow: /x                                  ignored: this dialect has no such field
       ^ 3:1 error R020 (F6): the field "Disalow" is unknown and ignored; was "Disallow" meant?
         Correct the name of the field: a field is obeyed only when its name is exact.
"""


def test_text_has_each_line_with_its_problems_below() -> None:
    """The text format shows each line, and below the line its problems. A problem is shown
    with its position, severity, code, clause and fix.
    """
    text = lint("User-agent: *\nDisallow: a\nDisalow: /x\n")

    assert text.partition(f'{"":7}in "rfc9309"')[0] == TEXT
    assert "every robot may retrieve everything" in lint("")  # 1994 E1


BODY = (
    "User-agent: rex fido\n# no\nAllow: /a\nCRAWL-delay: 5\nDisallow: /x /y\n\n"
    "Sitemap: /s.xml\nHost: h\nUser-agent: *\nDisallow: /z\nallow: /z/*\n"
    "\nDisallow: /q\n"
)
OTHERWISE = {
    "1994": {
        "revisited": [1, 5],
        "extended": [3, 4, 7, 11],
        "rfc9309": [3, 4, 7, 11, 13],
    },
    "extended": {
        "1994": [3, 4, 7, 11],
        "revisited": [1, 3, 4, 5, 7, 11],
        "rfc9309": [11, 13],
    },
}


@pytest.mark.parametrize("dialect", OTHERWISE)
def test_lines_that_other_dialects_read_otherwise_are_listed(dialect: str) -> None:
    """For each other dialect, the report lists the lines that have another meaning in
    that dialect. In this test, dialects differ in fields, lists, wildcards and blank
    lines.
    """
    found = report(BODY, dialect)["read_otherwise"]

    assert {name: found[name] for name in OTHERWISE[dialect]} == OTHERWISE[dialect]
    assert dialect not in found


def test_line_that_both_dialects_ignore_is_not_read_otherwise() -> None:
    """A line that has no effect in any dialect, such as a Crawl-delay without a number,
    is not listed.
    """
    assert (
        report("User-agent: *\nCrawl-delay: x\nno\nHost: h\n")["read_otherwise"] == {}
    )


def test_text_has_a_sentence_about_each_other_dialect() -> None:
    """The sentence about another dialect spells the fields as the file does.
    `--only-problems` omits the sentence about another dialect, and the lines of the
    file.
    """
    text = " ".join(lint(BODY).split())

    assert (
        'the dialect "extended" reads lines 3-4, 7, 11 differently (Allow, CRAWL-delay, '
        "Sitemap)." in text
    )
    assert 'the dialect "revisited" reads lines 1, 5 differently' in text
    assert "reads lines 2-4 differently" in lint("User-agent: *\n" + "Allow: /a\n" * 3)
    only = lint(BODY, "--only-problems")
    assert "differently" not in only
    assert "forbids" not in only
    assert "R016" in only


def test_json_has_records_with_separate_allow_and_disallow() -> None:
    """A record in the JSON report has separate lists for Allow and Disallow. In a dialect
    with Crawl-delay, the record also has the delay.
    """
    first, second = report(BODY, "extended")["records"]

    assert first == {
        "names": ["rex fido"],
        "first_line": 1,
        "last_line": 5,
        "disallow": ["/x /y"],
        "allow": ["/a"],
        "crawl_delay": 5.0,
    }
    assert second["crawl_delay"] is None


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_nothing_unprintable_is_printed(form: str, tmp_path: Path) -> None:
    """The output for files of the corpus contains only printable characters (O25, control
    characters). Lines of the text format have a limited width.
    """
    for number, (_, body) in enumerate(corpus_files()[::9]):
        (tmp_path / f"{number}.txt").write_bytes(body[:20_000])
    (tmp_path / "escapes").write_text("\x1b[31m: \u202e\nDisallow: \x9b/\x07", "utf-8")
    done = subprocess.run(
        [SCRIPT, "--format", form, str(tmp_path)],
        capture_output=True,
        cwd=ROOT,
        timeout=100,
        check=False,
    )
    lines = done.stdout.decode().splitlines()

    assert done.returncode == 1
    assert not done.stderr
    for line in lines:
        assert line.isprintable()
        assert form != "text" or len(line) <= WIDTH
    # JSON doubles the backslash of the escape sequence.
    assert any("x1b[31m" in line.replace("\\", "") for line in lines)


def test_annotation_is_escaped_for_github(tmp_path: Path) -> None:
    """In an annotation for GitHub, each percent sign is escaped. Commas and colons are
    escaped only in a file name.
    """
    assert lint("User-agent: a%b\nDisallow: x%y\n", "--format", "github") == (
        "::error file=-,line=2,col=11,title=R005 (O20)::the value "
        '"x%25y" does not begin with a slash and matches nothing. '
        "Write `Disallow: /x%25y`, if the path begins at the root of the site.\n"
    )
    file = tmp_path / "a,b:c%.txt"
    file.write_text("Disallow: x\n", "utf-8")
    name = lint("", "--format", "github", str(file)).partition("file=")[2]

    assert name.partition(",")[0].endswith("/a%2Cb%3Ac%25.txt")


def test_ignored_codes_are_neither_listed_nor_counted() -> None:
    """`--ignore R018` removes the code R018 from the list and from the counts."""
    body = "Sitemap: https://h.test/s.xml\n"
    assert lint(body, "--ignore", "R018", "--only-problems") == (
        "-: 1 line, 0 records\n"
    )
    assert "1 info" in lint(body, "--only-problems")


JOINED = "User-agent: *\nCrawl-delay: 10\n\nUser-agent: SemrushBot\nDisallow: /\n"


def test_lines_that_another_dialect_gives_to_other_robots_are_read_otherwise() -> None:
    """The report lists a rule that applies to one robot in 1994, but to every robot in
    RFC 9309. In RFC 9309, the rule disallows the whole site to every robot.
    """
    found = report(JOINED)

    assert 5 in found["read_otherwise"]["rfc9309"]
    assert 5 not in found["read_otherwise"].get("extended", [])
    assert found["closed_otherwise"] == {"rfc9309": ["*"]}
    text = " ".join(lint(JOINED).split())
    assert "and closes the whole site to every robot not named." in text


@pytest.mark.parametrize(("allowed", "closed"), [("/", ["rex"]), ("/a", [])])
def test_site_that_an_equally_long_allow_opens_is_not_closed(
    allowed: str, closed: list[str]
) -> None:
    """In RFC 9309, 2.2.2, an Allow line with the path of the Disallow line decides, so
    only the dialect of 1994 disallows the whole site. If the Allow line has another
    path than the Disallow line, both dialects disallow the whole site.
    """
    body = f"User-agent: rex\nDisallow: /\nAllow: {allowed}\n"
    found = report(body, "rfc9309")["closed_otherwise"]

    assert found.get("1994", []) == closed


def test_text_in_1994_ends_with_the_problems_that_most_robots_have() -> None:
    """In the dialect of 1994, the last sentence of the text report counts the problems in
    `rfc9309`. In another dialect, the text report does not count the problems in
    `rfc9309`.
    """
    last = lint(JOINED).splitlines()[-1]

    assert last.strip() == (
        'in "rfc9309", which most robots follow today, the file has 1 error: '
        "see --dialect rfc9309."
    )
    assert "the file has no problem:" in lint("User-agent: *\nDisallow: /a\n")
    assert "the file has" not in lint(JOINED, "--dialect", "extended")
    assert "the file has" not in lint(JOINED, "--only-problems")


def test_summary_has_the_highest_severity_that_occurred() -> None:
    """If one kind of problem occurs as an error and as a warning, the summary shows
    `error`.
    """
    mild = "\nUser-agent: rex\nCrawl-delay: 5\n\nUser-agent: max\nDisallow: /a\n"
    args = ("--dialect", "rfc9309")
    found = re.findall(r"(\w+) R043", lint(JOINED + mild, *args, "--only-problems"))
    assert found == ["error", "warning"]

    (row,) = re.findall("R043.*", lint(JOINED + mild, *args, "--summary"))

    assert row.split()[:4] == ["R043", "1", "2", "error"]


def test_summary_of_clean_files_has_no_empty_table() -> None:
    """If no file has a problem, the summary has no table."""
    assert lint("User-agent: *\nDisallow:\n", "--dialect", "rfc9309", "--summary") == (
        "1 file, 1 without a problem\n"
    )


def test_preference_is_no_ignored_line() -> None:
    """The report does not call a usage preference ignored, because a crawl reads usage
    preferences in every dialect.
    """
    shown = lint("User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a\n")

    assert "states a usage preference, which is not a rule" in shown
    assert "ignored" not in shown


def test_console_script_says_its_version_and_wants_no_host() -> None:
    """`--version` prints the name and the version. A bare host name is read as the name of
    a file. The error says how to write a URL.
    """
    version = subprocess.run(
        [SCRIPT, "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    host = subprocess.run(
        [SCRIPT, "example.com"], capture_output=True, text=True, check=False, timeout=60
    )

    assert version.stdout.split()[0] == "robots-lint"
    assert version.stdout.split()[1][0].isdigit()
    assert host.returncode == 3
    assert "example.com: No such file or directory: check the name" in host.stdout
    assert "write a URL as https://host" in host.stdout
