"""Tables of robots.txt files and expected answers, one row per line.

A row is `title | file | answers | codes of problems`. In the file, `{U}` stands for `User-agent: `,
`{D}` begins a new Disallow line, `{H}` is an origin, and escapes are written as in Python. A file
without a line end is the value of one Disallow line for every robot.

`-/a` means that `/a` is disallowed, `+/a` that it is allowed, and `-max/a` that it is disallowed
for the robot max. The last column has the codes of the problems in the dialect 1994, or `-` for
none. If a row lacks the last column, problems are not checked.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.standard.asking import allowed, allowed_however_spelt, codes, disallowing


class Row(NamedTuple):
    said: str
    body: str
    answers: list[str]
    problems: list[str] | None
    dialects: tuple[str, ...]
    robot: str

    def __str__(self) -> str:
        return self.said


def unescaped(text: str) -> str:
    for name, meant in (
        ("U", "User-agent: "),
        ("D", r"\nDisallow: "),
        ("H", "http://a.example"),
    ):
        text = text.replace(f"{{{name}}}", meant)
    return text.encode("ascii").decode("unicode_escape")


def rows(
    table: str,
    dialects: tuple[str, ...] = ("1994",),
    robot: str = "rex",
) -> list[Row]:
    """Return the rows of *table*. An answer that names no robot is for *robot*."""
    made = []
    for line in table.strip().splitlines():
        said, file, answers, problems, *_ = [*map(str.strip, line.split(" | ")), ""]
        body = unescaped(file)
        if "\n" not in body and "\r" not in body:
            body = disallowing(body)
        found = list(map(unescaped, answers.split(" ")))
        named = problems.strip("-").split() if problems else None
        made.append(Row(said, body, found, named, dialects, robot))
    return made


def check(row: Row) -> None:
    """Check the answers of *row* with each spelling of its file, and the problems of the file."""
    assert row.answers
    for answer in row.answers:
        robot, slash, path = answer[1:].partition("/")
        is_url = robot.endswith(":")
        url = answer[1:] if is_url else slash + path
        robot = row.robot if is_url or not robot else robot
        # A file that already contains a CR cannot be respelt.
        asked = allowed if "\r" in row.body else allowed_however_spelt
        for dialect in row.dialects:
            given = asked(row.body, url, robot, dialect=dialect)
            assert given is {"-": False, "+": True}[answer[0]], (answer, dialect)
    if row.problems is not None:
        assert codes(row.body) == row.problems
