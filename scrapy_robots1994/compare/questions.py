"""Questions made from the rules of a file: who may retrieve what."""

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from scrapy_robots1994.parser import Line, Reason
from scrapy_robots1994.robotstxt import RobotsTxt

MAX_QUESTIONS = 400
"""The most questions about one file. Of more, a sample is asked."""

# A name that no file gives to a robot, and without a word such as "bot" in it: a record for
# "bot" speaks to every robot whose name contains it.
UNKNOWN_ROBOT = "qxzvwk"

ALWAYS = ("/", "/some/page.html?a=b")

# What crawlers send as it is, besides letters, digits and `_.-~`.
_SENT = "/?&=%;:@+$,!*'()~[]"

_NO_FILE = RobotsTxt.parse(b"")


class Question(NamedTuple):
    """May *robot*, a bare name or a whole User-Agent header, retrieve *url*?

    Other parsers are asked for *others_robot*, if that is not empty.
    """

    url: str
    robot: str
    others_robot: str = ""

    @property
    def robots(self) -> str:
        """The robot as a report shows it."""
        other = f" (for the other parser: {self.others_robot})"
        return self.robot + (other if self.others_robot else "")


def questions(
    origin: str, body: bytes, robots: Iterable[str] = ()
) -> tuple[list[Question], int]:
    """Return at most `MAX_QUESTIONS` questions about *body*, and how many there are in all.

    Each path that the rules suggest is asked for each of *robots*, or else for each robot
    that the file names and for one that it does not. Equal arguments make equal samples.
    """
    lines = RobotsTxt.parse(body).lines
    named = dict.fromkeys(
        _shown(it.value) for it in lines if it.field.lower() == "user-agent"
    )
    names = tuple(robots) or (*(it for it in named if it.strip("*")), UNKNOWN_ROBOT)
    targets = [it for it in dict.fromkeys([*ALWAYS, *_targets(lines)]) if is_asked(it)]
    count = len(targets) * len(names)
    places: Iterable[int] = range(count)
    if count > MAX_QUESTIONS:
        dice = random.Random(len(body))  # noqa: S311 - a repeatable sample
        places = sorted(dice.sample(range(count), MAX_QUESTIONS))
    return [
        Question(origin + targets[place // len(names)], names[place % len(names)])
        for place in places
    ], count


def is_asked(url: str) -> bool:
    """Whether *url* is worth a question: /robots.txt itself never is."""
    # Ours O22
    return _NO_FILE.verdict(url, UNKNOWN_ROBOT).reason is not Reason.ROBOTS_TXT


def _targets(lines: Iterable[Line]) -> Iterator[str]:
    """Yield paths at the edges of each rule, and of what another parser might take for one."""
    for line in lines:
        value, field = _shown(line.value), line.field.lower()
        if value.startswith("/") and field != "user-agent":
            yield from _around(value)
        elif value and field in {"disallow", "allow"}:
            yield from _around(f"/{value}")


def _around(path: str) -> Iterator[str]:
    """Yield *path*, a path that meets its wildcards, and that one longer, shorter, encoded."""
    sent = quote(path, safe=_SENT, errors="replace")
    met = sent.replace("*", "x").removesuffix("$")
    yield sent
    yield met
    yield f"{met}x"
    yield f"{met.rstrip('/')}/x.html"
    yield met[:-1] or "/"
    yield _encoded_otherwise(met)


def _encoded_otherwise(path: str) -> str:
    """Return *path* with its last plain letter percent-encoded."""
    for place in range(len(path) - 1, 0, -1):
        if path[place].isalpha() and "%" not in path[max(0, place - 2) : place]:
            return f"{path[:place]}%{ord(path[place]):02X}{path[place + 1 :]}"
    return path


def _shown(value: str) -> str:
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
