"""Generate robots.txt files, and questions about URLs.

The same seed gives the same cases. Most records apply to a robot that the questions name, and
most URLs resemble the path of a rule; otherwise, few rules would be tested.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from tests.oracle import words


class Question(NamedTuple):
    url: str | bytes
    robot: str | bytes


class Case(NamedTuple):
    body: bytes | str
    questions: list[Question]


class Generator:
    def __init__(self, seed: int | str) -> None:
        self.dice = random.Random(seed)  # noqa: S311 (reproducible on purpose)
        self.values: list[str] = []

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    def small(self, questions: int = 16) -> Case:
        self.values = []
        lines: list[str] = []
        for _ in range(self.dice.choice((0, 1, 1, 2, 2, 2, 3, 3, 3, 4))):
            lines += self.record()
        return Case(self.body(lines), [self.question() for _ in range(questions)])

    def record(self) -> list[str]:
        lines: list[str] = []
        for _ in range(self.dice.choice((0, 1, 1, 1, 1, 1, 1, 2, 2, 3))):
            names = self.dice.choices(
                (("*",), words.OUR_NAMES, words.NAMES), weights=(6, 5, 1)
            )[0]
            lines.append(self.line(words.AGENT_FIELDS, self.dice.choice(names)))
            if self.chance(0.1):
                lines.append(self.other_line())
            if self.chance(0.04):
                lines.append(self.dice.choice(words.BLANK_LINES))
        for _ in range(self.dice.choice((0, 1, 1, 2, 2, 3, 5))):
            again = self.values and self.chance(0.15)
            value = self.dice.choice(self.values) if again else self.value()
            lines.append(self.rule_line(value))
            if self.chance(0.2):
                lines.append(self.other_line())
            if self.chance(0.08):
                lines.append(self.dice.choice(words.BLANK_LINES))
        if self.chance(0.75):
            lines += [self.dice.choice(words.BLANK_LINES)] * self.dice.choice((1, 1, 2))
        return lines

    def line(self, fields: tuple[str, ...], value: str) -> str:
        """Return a line in one of many equivalent spellings, or sometimes with an unknown field."""
        pick = self.dice.choice
        if self.chance(0.02):
            fields = words.UNKNOWN_FIELDS
        return pick(fields) + pick(words.COLONS) + value + pick(words.TRAILS)

    def rule_line(self, value: str) -> str:
        """Return a Disallow or Allow line, and keep its value for use in questions."""
        self.values.append(value)
        first, *others = words.RULE_FIELDS.values()
        if self.chance(0.25):
            return self.line(self.dice.choice(others), value)
        if self.chance(0.08):
            more = self.path()
            self.values.append(more)
            # In the dialect "revisited", a value may be a list of paths (K2).
            value = f"{value} {more}"
        return self.line(first, value)

    def other_line(self) -> str:
        """Return a line that is neither a rule nor a User-agent line."""
        kind = self.dice.random()
        if kind < 0.3:
            return self.dice.choice(words.COMMENTS)
        if kind < 0.7:
            name, values = self.dice.choice(tuple(words.OTHER_FIELDS.items()))
            fields = (name,) * 4 + (name.lower(), name.upper(), f" {name}\t")
            return self.line(fields, self.dice.choice(values))
        if kind < 0.9:
            return self.dice.choice(words.OTHER_LINES)
        return self.line(words.UNKNOWN_FIELDS, self.value())

    def value(self) -> str:
        kind = self.dice.random()
        if kind < 0.1:
            return self.dice.choice(words.ODD_VALUES)
        if kind < 0.2:
            origin = self.origin()
            if self.chance(0.2):
                # O19: a value may end within the authority.
                return origin[: -self.dice.randint(1, 3)]
            return origin + self.dice.choice(("", "?a", self.path()))
        return self.path() + ("$" if kind > 0.92 else "")

    def path(self) -> str:
        path = "/"
        for _ in range(self.dice.choice((1, 1, 2, 2, 3, 4))):
            path += self.dice.choice(words.PIECES) + self.dice.choice(("", "", "/"))
        return path.strip(" ")

    def origin(self) -> str:
        pick = self.dice.choice
        origin = pick(words.OUR_ORIGINS)
        if self.chance(0.2):
            origin = f"{pick(words.SCHEMES)}://{pick(words.HOSTS)}{pick(words.PORTS)}"
        if self.chance(0.2):
            origin = origin.replace("://", f"://{pick(words.USERS)}")
        return origin

    def body(self, lines: list[str]) -> bytes | str:
        pick = self.dice.choice
        endings = pick((("\n",), ("\n",), ("\r\n",), ("\r",), ("\n", "\r\n", "\r")))
        ends = [pick(endings) for _ in lines]
        text = "".join(line + end for line, end in zip(lines, ends, strict=True))
        if self.chance(0.3):
            text = text.rstrip("\r\n")
        kind = self.dice.random()
        if kind < 0.06:
            clean = re.sub("[\ud800-\udfff]", "?", "\ufeff" + text)
            return clean.encode(pick(("utf-16-le", "utf-16-be")))
        mark = "\ufeff" * pick((0,) * 16 + (1, 1, 1, 2))
        if kind < 0.12:
            return mark + re.sub("[\ud800-\udfff]", "?", text)
        return (mark + text).encode("utf-8", "surrogateescape")

    def question(self) -> Question:
        robots = words.OUR_ROBOTS if self.chance(0.9) else words.ROBOTS
        robot: str | bytes = self.dice.choice(robots)
        if self.chance(0.1):
            encoding = self.dice.choice(("utf-8", "latin-1"))
            robot = str(robot).encode(encoding)
        return Question(self.url(), robot)

    def url(self) -> str | bytes:
        value = self.dice.choice(self.values) if self.values else ""
        if self.chance(0.05) or not value:
            value = self.dice.choice((self.path(), "/robots.txt", "/", "/a"))
        value = self.edge(value)
        if value.lower().startswith(("http:", "https:")):
            url = value
        elif value.startswith("/"):
            url = self.origin() + value
        else:
            slash = "" if value[:1] in ("", "?", "#") else "/"
            url = self.origin() + slash + value
        # A URL neither begins nor ends with a space.
        url = url.strip(" ")
        if self.chance(0.15) or re.search("[\ud800-\udfff]", url):
            return url.encode("utf-8", "surrogateescape")
        return url

    def edge(self, value: str) -> str:
        origin = re.match("[A-Za-z]+://[^/?#]*", value)
        if origin:
            # Only the path gets small changes. The origin is kept, or replaced as a whole.
            target = self.edge(value[origin.end() :])
            return (self.origin() if self.chance(0.3) else origin.group()) + target
        if "*" in value or value.endswith("$"):
            change = self.dice.choice((Generator.fill, Generator.overlap))
            value = change(self, value) if self.chance(0.7) else value
        for _ in range(self.dice.choice((0, 0, 0, 1, 1, 1, 2))):
            value = self.dice.choice(EDGES)(self, value)
        return value

    def add(self, value: str) -> str:
        return value + self.dice.choice(("x", "/", "/x", "?q", "#f", "%", "."))

    def cut(self, value: str) -> str:
        return value[: self.dice.choice((-1, self.dice.randint(0, len(value))))]

    def change(self, value: str) -> str:
        place = self.dice.randrange(len(value) + 1)
        return value[:place] + self.dice.choice("aB/%*$?.\u00e9") + value[place + 1 :]

    def turn_case(self, value: str) -> str:
        return self.dice.choice((value.lower(), value.upper(), value.swapcase()))

    def escape(self, value: str) -> str:
        place = self.dice.randrange(len(value) + 1)
        if self.chance(0.3):
            return quote_from_bytes(value.encode("utf-8", "surrogateescape"), "/:?%")
        code = "".join(
            f"%{octet:02x}" if self.chance(0.5) else f"%{octet:02X}"
            for octet in value[place : place + 1].encode("utf-8", "surrogateescape")
        )
        return value[:place] + code + value[place + 1 :]

    def unescape(self, value: str) -> str:
        octets = unquote_to_bytes(value.encode("utf-8", "surrogateescape"))
        return octets.decode("utf-8", "surrogateescape")

    def dots(self, value: str) -> str:
        dot = self.dice.choice((".", "%2e", "%2E"))
        two = self.dice.choice(("..", "%2e.", ".%2E", "%2e%2e"))
        slash = self.dice.choice(("/", "/", "/", "\\"))
        place = value.find("/", self.dice.randrange(len(value) + 1))
        way = self.dice.choice((f"{slash}{dot}", f"{slash}q{slash}{two}", f"/{two}"))
        return value if place < 0 else value[:place] + way + value[place:]

    def tab(self, value: str) -> str:
        """Insert a raw tab or line end (O27)."""
        place = self.dice.randint(1, max(len(value), 1))
        return value[:place] + self.dice.choice("\t\n\r") + value[place:]

    def fill(self, value: str) -> str:
        filler = self.dice.choice(("", "a", "a/b", "*", "x?y"))
        return value.removesuffix("$").replace("*", filler)

    def overlap(self, value: str) -> str:
        """Drop the wildcards, a final `$` and the last character.

        `/a*a$` becomes `/a`, which the pattern does not match, because the text after a wildcard
        must not overlap the text before it.
        """
        return value.removesuffix("$").replace("*", "")[:-1]

    def reslash(self, value: str) -> str:
        new = self.dice.choice(("\\", "//", "%2F", "%2f"))
        return value[:1] + value[1:].replace("/", new, 1)


EDGES: tuple[Callable[[Generator, str], str], ...] = (
    *(Generator.add,) * 4,
    *(Generator.escape, Generator.dots) * 2,
    Generator.cut,
    Generator.change,
    Generator.unescape,
    Generator.turn_case,
    Generator.tab,
    Generator.fill,
    Generator.reslash,
)
