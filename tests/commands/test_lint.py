"""`scrapy robots-lint`, and the console script `robots-lint`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import replies
from tests.support.commands import SCRIPT, CommandResult, scrapy
from tests.support.corpus import generated_files
from tests.support.forked import ROOT, TIMEOUT_SECONDS
from tests.support.site import Site

CLEAN = "User-agent: *\nDisallow: /tmp\n"
INFO = CLEAN + "Host: x.test\n"
WARNING = CLEAN + "Disallow: /a b\n"
ERROR = "Disallow: /\n"


def robots_lint(
    *args: str, stdin_text: str = "", folder: Path = ROOT, python: tuple[str, ...] = ()
) -> CommandResult:
    """*python* is an interpreter and its options."""
    result = subprocess.run(
        [*python, SCRIPT, *args],
        input=stdin_text,
        text=True,
        capture_output=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return CommandResult(result.returncode, result.stdout, result.stderr)


@pytest.mark.parametrize(
    ("body", "args", "code"),
    [
        (CLEAN, [], 0),
        (INFO, [], 0),
        (WARNING, [], 1),
        (ERROR, [], 1),
        (INFO, ["--fail-on", "info"], 1),
        (WARNING, ["--fail-on", "error"], 0),
        (ERROR, ["--fail-on", "never"], 0),
        (WARNING, ["--ignore", "r017"], 0),
        (WARNING, ["--ignore", "R016, r017, "], 0),
        (WARNING, ["--dialect", "extended", "-s", "LOG_LEVEL=ERROR"], 1),
        (ERROR, ["--color", "always"], 1),
    ],
)
def test_exit_code_depends_on_severity_and_fail_on(
    body: str, args: list[str], code: int
) -> None:
    result = scrapy("robots-lint", "-", *args, stdin_text=body)

    assert result.code == code
    assert ("\x1b" in result.out) is ("always" in args)


def test_lint_fetches_robots_txt_or_the_file_of_a_url(site: Site) -> None:
    site.robots(CLEAN)
    site.answer("/draft.txt", replies.text(WARNING))
    urls = [site.url("/draft.txt"), site.url("/")]

    named = (urls[0], urls[1].replace("://", "://me:secret@"))
    result = scrapy("robots-lint", *named, "--format", "json")

    assert result.code == 1
    files = json.loads(result.out)["files"]
    assert [(it["file"], len(it["problems"])) for it in files] == [
        (urls[0], 1),
        (urls[1], 0),
    ]
    assert sorted(site.targets()) == ["/draft.txt", "/robots.txt"]


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (404, 0, "allowed: the site has no robots.txt (http 404)"),
        (403, 3, "disallowed: access to robots.txt was refused (http 403)"),
        (None, 3, "connection refused"),
    ],
)
def test_url_without_a_file_says_why(
    site: Site, status: int | None, code: int, said: str
) -> None:
    """A forbidden file is a failure (R3), but a missing one is not."""
    url = site.url("/draft.txt") if status else site.refused_url("/draft.txt")
    site.answer("/draft.txt", replies.status(status or 500))

    result = scrapy("robots-lint", url, "-s", "RETRY_ENABLED=False")
    annotated = scrapy(
        "robots-lint", url, "--format", "github", "-s", "RETRY_ENABLED=0"
    )

    assert result.code == annotated.code == code
    assert said in result.out.lower()
    assert annotated.out.startswith("::error " if code else "::notice ")
    assert "ROBOTS1994_" not in result.out


@pytest.mark.parametrize(
    "command",
    [
        ["robots-lint"],
        ["robots-compare", "--parsers", "Protego", "--json"],
        ["robots-check", "/a", "--explain", "--robots"],
        ["robots-lint", "--format", "json"],
        ["robots-compare", "--parsers", "Protego"],
        ["robots-check", "/a", "--json", "--robots"],
    ],
)
def test_output_contains_no_password(site: Site, command: list[str]) -> None:
    site.robots(WARNING)
    for url in (site.url("/robots.txt"), site.refused_url("/robots.txt")):
        with_password = url.replace("://", "://me:secret@")

        result = scrapy(*command, with_password, "-s", "RETRY_ENABLED=False")

        assert result.code in (0, 1, 3)
        assert url.split("/")[2] in result.out + result.err
        assert "secret" not in result.out + result.err


@pytest.mark.parametrize("args", [["--help"], ["-"], ["-", "--format", "json"]])
def test_script_imports_no_slow_module(args: list[str]) -> None:
    """Editors and commit hooks need a script that starts quickly."""
    python = (sys.executable, "-S", "-X", "importtime")
    result = robots_lint(*args, stdin_text=WARNING, python=python)
    loaded = [line.rpartition("|")[2].strip() for line in result.err.splitlines()]
    slow = {"scrapy", "twisted", "rich", "cachetools", "asyncio", "email", "socket"}

    assert "scrapy_robots1994.commands.robots_lint" in loaded
    assert not {name.partition(".")[0] for name in loaded} & slow
    assert not any("importlib.metadata" in it for it in loaded)


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--format", "json", "--ignore", "r017"],
        ["--only-problems", "--fail-on", "error", "--color", "always"],
        ["--format", "github"],
        ["--dialect", "extended"],
    ],
)
def test_script_prints_the_same_as_the_command(args: list[str], tmp_path: Path) -> None:
    (tmp_path / "files" / "inner").mkdir(parents=True)
    (tmp_path / "files" / "a.txt").write_text(WARNING)
    (tmp_path / "files" / "inner" / "b.txt").write_text(CLEAN)
    names = ("files", "missing", "-")

    script = robots_lint(*names, *args, stdin_text=WARNING, folder=tmp_path)
    command = scrapy("robots-lint", *names, *args, stdin_text=WARNING, folder=tmp_path)

    assert (script.code, script.out) == (command.code, command.out)
    assert (script.code, script.err) == (3, "")
    assert "missing" in script.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["http://x.test/"], "http://x.test/ is a URL: use `scrapy robots-lint`"),
        ([], "no file given: name a file, a folder, or - for"),
        (["--formt", "json", "x"], '--formt; did you mean "--format"?'),
        (["--spider", "x", "y"], "unrecognized argument --spider"),
        (["-x.txt", "--", "y"], "unrecognized argument -x.txt"),
    ],
)
def test_wrong_use_of_the_script_is_reported_in_one_sentence(
    args: list[str], message: str
) -> None:
    result = robots_lint(*args)

    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_pre_commit_hook_runs_the_script() -> None:
    lines = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8").splitlines()
    (entry,) = [line.split(": ", 1)[1] for line in lines if "entry: " in line]
    script, *args = entry.split()

    assert script == "robots-lint"
    assert robots_lint(*args, "-", stdin_text=WARNING).code == 0
    assert robots_lint(*args, "-", stdin_text=ERROR).code == 1


def test_only_the_beginning_of_a_huge_file_is_read(tmp_path: Path) -> None:
    """Ours O24 limits local files too."""
    file = tmp_path / "disk.img"
    file.write_text("User-agent: *\nDisallow: /x\n")
    os.truncate(file, 2**40)

    result = robots_lint(str(file))

    assert "Disallow: /x" in result.out
    assert "truncated at the size limit" in result.lines[0]


TEXT = """\
-: 9 lines, 1 record, 2 errors, 2 warnings (rfc9309)
     1 User-agent: *                                begins a record, for every robot not named
     2 Crawl-delay: 10                              asks for a pause of 10 s
     3
     4 User-agent: SemrushBot                       and for "SemrushBot"
       ^ error R023: no rule separates "SemrushBot" from the names above, so line 1 shares its
         rules.
         Write an empty `Disallow:` below the names above if the rules are not for them.
     5 Disallow: /                                  forbids everything
     6 Disallow: /a b                               forbids what begins with /a b
       ^ warning R017, also line 9: the space is part of the path "/a b".
         Write one path per line, `%20` for a space, and `#` before a comment.
     7 Disalow: /x                                  ignored: this dialect has no such field
       ^ error R005: "Disalow: /x" is ignored: was "Disallow: /x" meant? Some robots, Googlebot
         among them, guess so.
         Spell the field correctly, with a colon after it.
     8 Sitemap: /s.xml                              names a sitemap
       ^ warning R019: the value "/s.xml" is not an absolute URL.
         Write it as in `Crawl-delay: 10` or `Sitemap: https://example.com/sitemap.xml`.
     9 Disallow: /c d                               forbids what begins with /c d
       In "1994", the whole site is open to every robot not named.
"""
BODY = "\n".join(row[7:51].rstrip() for row in TEXT.splitlines() if row[5:6].isdigit())


def test_text_has_each_line_and_its_problems_below() -> None:
    """A problem is reported once per record, and its advice once per file."""
    assert robots_lint("-", stdin_text=BODY).out == TEXT
    assert "every robot may retrieve everything" in robots_lint("-").out


def test_sample_of_the_page_is_what_the_command_prints(tmp_path: Path) -> None:
    """The numbered rows of the sample are the file."""
    page = (ROOT / "docs" / "lint.rst").read_text("utf-8")
    block = page.partition("$ robots-lint robots.txt\n")[2].partition("\n\n")[0]
    shown = [row.removeprefix("    ") for row in block.splitlines()]
    lines = [row[7:51].rstrip() for row in shown if row[5:6].isdigit()]
    (tmp_path / "robots.txt").write_text("\n".join(lines) + "\n")

    assert robots_lint("robots.txt", folder=tmp_path).lines == shown


def test_only_problems_has_a_line_a_problem_as_compilers_write_it() -> None:
    shown = robots_lint("-", "--only-problems", stdin_text=BODY).lines

    assert [it.partition(": ")[0] for it in shown] == [
        "-:4:1",
        "-:6:13",
        "-:7:1",
        "-:8:10",
    ]
    assert shown[1].startswith("-:6:13: warning R017, also line 9: the space is part")
    assert robots_lint("-", "--only-problems", stdin_text=CLEAN).out == ""
    twice = WARNING + "\nUser-agent: a\nDisallow: /a c\n"
    assert robots_lint("-", "--only-problems", stdin_text=twice).out.count("%20") == 1


def test_strictest_names_the_other_dialect_with_only_problems_too() -> None:
    group = "User-agent: {}-with-a-long-name\nDisallow: /*\n\n"
    body = "".join(map(group.format, "abc"))
    args = ("-", "--only-problems", "--ignore", "R018", "--dialect")

    (note,) = robots_lint(*args, "strictest", stdin_text=body).lines
    assert note.startswith('-: note: In "rfc9309", the whole site is closed to "a-with')
    assert note.endswith(" and 2 more.")
    assert robots_lint(*args, "1994", stdin_text=body).out == ""


def report(body: str, *args: str) -> Any:
    (file,) = json.loads(
        robots_lint("-", "--format", "json", *args, stdin_text=body).out
    )["files"]
    return file


def test_json_has_lines_records_and_problems() -> None:
    """The longer of two delays counts."""
    file = report(BODY + "\nAllow: /b\nCrawl-delay: 20\nCrawl-delay: 2\n")

    assert file["records"] == [
        {
            "names": ["*", "SemrushBot"],
            "first_line": 1,
            "last_line": 12,
            "disallow": ["/", "/a b", "/c d"],
            "allow": ["/b"],
            "crawl_delay": 20.0,
        }
    ]
    assert file["lines"][1] == {
        "number": 2,
        "kind": "crawl-delay",
        "text": "Crawl-delay: 10",
        "effect": "asks for a pause of 10 s",
    }
    assert [(it["code"], it["lines"]) for it in file["problems"]] == [
        ("R023", [4]),
        ("R017", [6, 9]),
        ("R005", [7]),
        ("R019", [8]),
    ]
    assert file["otherwise"] == {"dialect": "1994", "closed": [], "open": ["*"]}


def test_annotation_is_escaped_for_github(tmp_path: Path) -> None:
    """Colons and commas are escaped only in file names."""
    file = tmp_path / "a,b:c%.txt"
    file.write_text("User-agent: a\nDisallow: x%y\nDisallow: z\n")
    shown = robots_lint(str(file), "--format", "github").out

    place, _, text = shown.removeprefix("::error file=").partition("::")
    assert place.endswith("/a%2Cb%3Ac%25.txt,line=2,col=11,title=R015")
    assert text.startswith('the value "x%25y" does not begin with a slash')
    assert " Also line 3. Write the path" in text


EFFECTS = """\
# hello|
User-agent: *|begins a record, for every robot not named
User-agent: rex|and for "rex"
Disallow: /tmp|forbids what begins with /tmp
Disallow: /*.php$|forbids what matches /*.php$
Disallow:|forbids nothing
Disallow: a|matches nothing
Allow: /x|allows what begins with /x
Content-Signal: ai-train=no|states a usage preference, which is no rule
no colon|ignored: not of the form `field: value`
|
|
Crawl-delay: x|ignored: no number of seconds
Sitemap: https://h.test/|names a sitemap
User-agent: a|begins a record, for "a"
Disallow: /|has no effect
Allow: /|allows everything
"""
IN_1994 = {
    5: "forbids what begins with /*.php$",
    8: "ignored: this dialect has no such field",
    11: "ends the record",
    13: "ignored: this dialect has no such field",
    14: "ignored: this dialect has no such field",
    16: "forbids everything",
    17: "ignored: this dialect has no such field",
}


def test_each_line_has_its_effect() -> None:
    """A Disallow that an Allow overrides has no effect."""
    lines, effects = zip(*(it.split("|") for it in EFFECTS.splitlines()), strict=True)
    body = "\n".join(lines)

    assert [it["effect"] for it in report(body)["lines"]] == list(effects)
    assert [it["effect"] for it in report(body, "--dialect", "1994")["lines"]] == [
        IN_1994.get(number, effect) for number, effect in enumerate(effects, 1)
    ]


@pytest.mark.parametrize(
    ("body", "dialect", "otherwise"),
    [
        ("User-agent: a\nDisallow: /*\n", "1994", (["a"], [])),
        ("User-agent: a\nDisallow: /*\n", "strictest", (["a"], [])),
        ("User-agent: a\nDisallow: /\nAllow: /\n", "1994", ([], ["a"])),
        ("User-agent: a\nDisallow: /\nAllow: /\n", "rfc9309", (["a"], [])),
        ("User-agent: a\nDisallow: /\nAllow: /b\n", "1994", ([], [])),
        ("User-agent: *\nDisallow: /\n\nUser-agent: a\nAllow: /\n", "1994", ([], [])),
    ],
)
def test_other_dialect_is_named_where_it_decides_otherwise_about_the_whole_site(
    body: str, dialect: str, otherwise: tuple[list[str], list[str]]
) -> None:
    found = report(body, "--dialect", dialect)["otherwise"]

    assert (found["closed"], found["open"]) == otherwise
    assert found["dialect"] == ("1994" if dialect == "rfc9309" else "rfc9309")


@pytest.mark.parametrize(
    ("settings", "dialect"),
    [
        ('ROBOTS1994_DIALECT = "extended"\n', "extended"),
        (
            "ROBOTS1994_DIALECT = '1994'\nROBOTS1994_DIALECT = 'revisited'\n",
            "revisited",
        ),
        ("OTHER = 1\n", "rfc9309"),
        (None, "rfc9309"),
    ],
)
def test_dialect_is_that_of_the_project(
    settings: str | None, dialect: str, tmp_path: Path
) -> None:
    """The settings file of the project is read, not run."""
    inner = tmp_path / "inner"
    inner.mkdir()
    if settings is not None:
        (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = demo.settings\n")
        (tmp_path / "demo").mkdir()
        (tmp_path / "demo" / "__init__.py").touch()
        (tmp_path / "demo" / "settings.py").write_text(settings)

    for result in (
        robots_lint("-", stdin_text=CLEAN, folder=inner),
        scrapy("robots-lint", "-", stdin_text=CLEAN, folder=inner),
    ):
        assert f"({dialect})" in result.lines[0], result.err


def test_unknown_dialect_of_the_project_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = demo\n")
    (tmp_path / "demo.py").write_text("ROBOTS1994_DIALECT = 'x'\n")

    assert robots_lint("-", stdin_text=CLEAN, folder=tmp_path).code == 2


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_nothing_unprintable_is_printed(form: str, tmp_path: Path) -> None:
    """Ours O25."""
    for number, (_, body) in enumerate(generated_files()[::9]):
        (tmp_path / f"{number}.txt").write_bytes(body[:20_000])
    (tmp_path / "x").write_text("\x1b[31m: \u202e\nDisallow: \x9b/\x07", "utf-8")
    result = robots_lint(str(tmp_path), "--format", form)

    assert (result.code, result.err) == (1, "")
    for line in result.lines:
        assert line.isprintable()
        assert form != "text" or len(line) <= 100
    assert any("x1b[31m" in line.replace("\\", "") for line in result.lines)


def test_script_says_its_version_and_wants_no_host() -> None:
    version, host = robots_lint("--version"), robots_lint("example.com")

    assert version.out.split()[0] == "robots-lint"
    assert host.code == 3
    assert "write a URL as https://host" in host.out
