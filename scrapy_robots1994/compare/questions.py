"""Questions about a file, made from the file itself."""

import random
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from scrapy_robots1994.compare.parsers import ROBOTS_TXT, Question
from scrapy_robots1994.compare.transforms import is_agent, is_rule
from scrapy_robots1994.parser import Line
from scrapy_robots1994.robotstxt import RobotsTxt

# A name that holds no common one, as `bot`, and is not part of any: a record may speak
# to a robot by any part of its name.
UNKNOWN_ROBOT = "qxzvwk"
ALWAYS = ("/", ROBOTS_TXT, "/some/page.html?a=b")

# As a crawler sends URLs: what has a meaning in one stays, the rest is encoded.
_SENT = "/?&=%;:@+$,!*'()~[]"


def questions(
    origin: str, body: bytes, *, robots: Iterable[str] = (), max_questions: int
) -> list[Question]:
    """Return at most *max_questions* questions about *body*, different ones.

    They are all paths that the rules make, each for all robots: those named in the file
    and one that is not, or *robots* if there are any. Of too many a part is taken, the
    same one every time.
    """
    lines = RobotsTxt.parse(body).lines
    named = dict.fromkeys(_shown(line.value) for line in lines if is_agent(line))
    names = tuple(robots) or (*(it for it in named if it.strip("*")), UNKNOWN_ROBOT)
    targets = tuple(dict.fromkeys([*ALWAYS, *_targets(lines)]))
    places: Sequence[int] = range(len(targets) * len(names))
    if len(places) > max_questions:
        dice = random.Random(len(body))  # noqa: S311 - the same part every time
        places = sorted(dice.sample(places, max_questions))
    return [
        Question(origin + targets[place // len(names)], names[place % len(names)])
        for place in places
    ]


def _targets(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the paths of each rule, and of what others may take for one."""
    for line in lines:
        value = _shown(line.value)
        if value.startswith("/") and not is_agent(line):
            yield from _around(value)
        elif value and is_rule(line):
            yield from _around(f"/{value}")


def _around(path: str) -> Iterator[str]:
    """Yield the path of a rule as it is, met, extended, cut and encoded otherwise."""
    sent = quote(path, safe=_SENT, errors="replace")
    # What a wildcard stands for, and what a `$` ends.
    met = sent.replace("*", "x").removesuffix("$")
    yield sent
    yield met
    yield f"{met}x"
    yield f"{met.rstrip('/')}/x.html"
    yield met[:-1] or "/"
    yield _encoded_otherwise(met)


def _encoded_otherwise(path: str) -> str:
    """Return another spelling of *path*: its last letter percent-encoded."""
    for place in range(len(path) - 1, 0, -1):
        if path[place].isalpha() and "%" not in path[max(0, place - 2) : place]:
            return f"{path[:place]}%{ord(path[place]):02X}{path[place + 1 :]}"
    return path


def _shown(value: str) -> str:
    """Return *value* with what is not UTF-8 replaced, as a name or path to compare."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
