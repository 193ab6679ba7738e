"""Tables of files and their answers, with one row per line.

A row is `what is said | file | answers | clauses of the problems`. In the file, `{U}`,
`{D}` and `{H}` stand for `User-agent: `, a new Disallow line and an origin; escapes are
those of Python. A file without a line end is the value of one Disallow line for every
robot. As an answer, `-/a` is a disallowed URL and `+/a` an allowed URL, for the robot of
the table. `-max/a` is a disallowed URL for the robot max. The last column is about the
dialect 1994. There, `-` means that no problem is reported. Without the column, any problem
may be reported.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.standard.asking import allowed, allowed_however_spelt, clauses, disallowing


class Row(NamedTuple):
    """A file, its answers in some dialects and one reading, and its problems."""

    said: str
    body: str
    answers: list[str]
    problems: list[str] | None
    dialects: tuple[str, ...]
    reading: str
    robot: str

    def __str__(self) -> str:
        """Return the name of the row in the report of a run."""
        return self.said


def unescaped(text: str) -> str:
    """Return *text* with its placeholders and escapes replaced."""
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
    reading: str = "literal",
    robot: str = "rex",
) -> list[Row]:
    """Return the rows of *table*. Answers that name no robot are for *robot*."""
    made = []
    for line in table.strip().splitlines():
        said, file, answers, problems, *_ = [*map(str.strip, line.split(" | ")), ""]
        body = unescaped(file)
        if "\n" not in body and "\r" not in body:
            body = disallowing(body)
        found = list(map(unescaped, answers.split(" ")))
        named = problems.strip("-").split() if problems else None
        made.append(Row(said, body, found, named, dialects, reading, robot))
    return made


def check(row: Row) -> None:
    """Assert the answers of *row*, in each spelling of its file, and its problems."""
    assert row.answers
    for answer in row.answers:
        robot, slash, path = answer[1:].partition("/")
        is_url = robot.endswith(":")
        url = answer[1:] if is_url else slash + path
        robot = row.robot if is_url or not robot else robot
        # A file with a CR of its own cannot have other line ends.
        asked = allowed if "\r" in row.body else allowed_however_spelt
        for dialect in row.dialects:
            given = asked(row.body, url, robot, dialect=dialect, reading=row.reading)
            assert given is {"-": False, "+": True}[answer[0]], (answer, dialect)
    if row.problems is not None:
        assert clauses(row.body) == row.problems
