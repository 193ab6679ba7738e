"""Generate questions from the rules of a file: may this robot retrieve this URL?"""

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from scrapy_robots1994.parser import Line
from scrapy_robots1994.policy.policy import is_robots_txt
from scrapy_robots1994.robotstxt import RobotsTxt

MAX_QUESTIONS = 400
"""The maximum number of questions generated for one file. If there are more, a sample is used."""

# A name that no robot has. It must not contain a word such as "bot", because a record for "bot" may
# address every robot whose name contains "bot".
UNKNOWN_ROBOT = "qxzvwk"

ALWAYS = ("/", "/some/page.html?a=b")

# Characters that crawlers do not encode, besides letters, digits and `_.-~`
_SENT = "/?&=%;:@+$,!*'()~[]"


class Question(NamedTuple):
    """May *robot*, a bare name or a whole User-Agent header, retrieve *url*?

    *others_robot* is the robot that other parsers are asked about; "" stands for *robot*.
    """

    url: str
    robot: str
    others_robot: str = ""


def questions(
    origin: str,
    body: bytes,
    robots: Iterable[str] = (),
    urls: Iterable[str] | None = None,
) -> list[Question]:
    """Return questions about *body*, one for each combination of *urls* and *robots*.

    If *urls* is None, up to `MAX_QUESTIONS` questions are generated from the rules. The same
    arguments give the same questions. If *robots* is empty, the questions are about the robots that
    the file names and one that it does not name.
    """
    lines = RobotsTxt.parse(body).lines
    named = dict.fromkeys(
        _shown(it.value) for it in lines if it.field.lower() == "user-agent"
    )
    names = tuple(robots) or (*(it for it in named if it.strip("*")), UNKNOWN_ROBOT)
    wanted = (*ALWAYS, *_targets(lines)) if urls is None else urls
    # Ours O22: /robots.txt is always allowed.
    targets = [it for it in dict.fromkeys(wanted) if not is_robots_txt(it)]
    count = len(targets) * len(names)
    size = min(count, MAX_QUESTIONS) if urls is None else count
    dice = random.Random(len(body))  # noqa: S311 - a repeatable sample
    made = []
    for place in sorted(dice.sample(range(count), size)):
        target, name = targets[place % len(targets)], names[place // len(targets)]
        url = f"{origin}{target}" if target.startswith("/") else target
        made.append(Question(url, name))
    return made


def _targets(lines: Iterable[Line]) -> Iterator[str]:
    """Yield paths similar to those in rules, and in lines that another parser might take for
    rules.
    """
    for line in lines:
        value, field = _shown(line.value), line.field.lower()
        if value.startswith("/") and field != "user-agent":
            yield from _around(value)
        elif value and field in {"disallow", "allow"}:
            yield from _around(f"/{value}")


def _around(path: str) -> Iterator[str]:
    """Yield *path*, a path that it matches, and variants of that path: longer, shorter, and
    percent-encoded differently.
    """
    sent = quote(path, safe=_SENT)
    met = sent.replace("*", "x").removesuffix("$")
    yield sent
    yield met
    yield f"{met}x"
    yield f"{met.rstrip('/')}/x.html"
    yield met[:-1] or "/"
    yield _encoded_otherwise(met)


def _encoded_otherwise(path: str) -> str:
    """Percent-encode the last letter of *path* that is not part of a percent-encoding."""
    for place in range(len(path) - 1, 0, -1):
        if path[place].isalpha() and "%" not in path[max(0, place - 2) : place]:
            return f"{path[:place]}%{ord(path[place]):02X}{path[place + 1 :]}"
    return path


def _shown(value: str) -> str:
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
