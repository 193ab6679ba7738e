"""Check a URL against a file, and against equivalent spellings of the file."""

from __future__ import annotations

from collections.abc import Callable

from scrapy_robots1994 import LineKind, RobotsTxt
from tests.oracle import reading

HOST = "http://a.example"
DIALECTS = reading.DIALECTS
PREFIX_DIALECTS = tuple(it for it in DIALECTS if it not in reading.GROUPED)
"""In these dialects, rules are prefixes, and a blank line ends a record."""


def allowed(body: str | bytes, path: str, robot: str = "rex", **how: str) -> bool:
    """Whether *robot* may retrieve *path*, which may also be a URL."""
    return ask(body, path if "://" in path else HOST + path, robot, **how)


def ask(
    body: str | bytes, url: str | bytes, robot: str | bytes = "rex", **how: str
) -> bool:
    """Return the answer of `allowed()` and check that `verdict()` agrees."""
    robots = RobotsTxt.parse(body, **how)  # type: ignore[arg-type]  # all are strings
    answer = robots.allowed(url, robot)
    assert robots.verdict(url, robot).allowed is answer
    return answer


def disallowing(path: str, robot: str = "*") -> str:
    return f"User-agent: {robot}\nDisallow: {path}\n"


def kinds(body: str | bytes) -> list[LineKind]:
    return [line.kind for line in RobotsTxt.parse(body).lines]


def codes(body: str | bytes) -> list[str]:
    return [problem.code for problem in RobotsTxt.parse(body).problems]


def _recased(text: str, case: Callable[[str], str]) -> str:
    for field in ("User-agent", "Disallow", "Allow", "Crawl-delay", "Sitemap"):
        text = text.replace(field, case(field))
    return text


def spellings(text: str) -> dict[str, str]:
    """Return equivalent spellings of *text*, keyed by the name of the change."""
    lines = text.removesuffix("\n").split("\n")
    commented = [part for line in lines for part in (line, "  # between: x")]
    # Each blank line ends with CR NL: an NL after a CR would be part of a CR NL, not a blank line.
    ends = [("\n", "\r\n", "\r")[number % 3] for number in range(len(lines))]
    mixed = [it + end if it else "\r\n" for it, end in zip(lines, ends, strict=True)]
    return {
        "LF": text,
        "CR": text.replace("\n", "\r"),
        "CRLF": text.replace("\n", "\r\n"),
        "mixed": "".join(mixed),
        "no last end": text.removesuffix("\n"),
        "comment lines": "\n".join(commented),
        "upper case": _recased(text, str.upper),
        "lower case": _recased(text, str.lower),
        "spaces": text.replace(": ", " :\t ").replace("\n", " \n"),
    }


def allowed_however_spelt(body: str, path: str, robot: str = "rex", **how: str) -> bool:
    """Whether *robot* may retrieve *path*. All spellings of *body* must give the same answer."""
    answers = {
        spelling: allowed(text, path, robot, **how)
        for spelling, text in spellings(body).items()
    }
    assert len(set(answers.values())) == 1, answers
    return answers["LF"]
