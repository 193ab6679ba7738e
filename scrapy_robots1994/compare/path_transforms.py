"""Transforms of paths and URLs, each of which removes one thing from rules and question."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from scrapy_robots1994.compare.lines import (
    AGENT_KINDS,
    Lines,
    is_allow,
    is_rule,
    lines_of,
    rewritten,
    says,
    with_ending,
    with_value,
)
from scrapy_robots1994.compare.parsers import ROBOTS_TXT
from scrapy_robots1994.origin import target_of
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.parser.spellings import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_robots1994.compare.parsers import Question
    from scrapy_robots1994.parser import Line

# No URL in use starts with it.
_NOWHERE = "/_nothing_is_called_so_"

# What means the same to every parser, however it decodes, encodes or splits URLs.
_PLAIN = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/*$"
)
_ENCODED_SLASH = re.compile(b"%2f", re.IGNORECASE)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def without_allow(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with the lines that allow made void, then with them taken out.

    First the Allow lines alone, then with the Disallow lines that are empty.
    """
    for allows in (is_allow, _allows):
        yield lines.of(_void(it) if allows(it) else it for it in lines.lines)
        yield lines.of(it for it in lines.lines if not allows(it))


def _allows(line: Line) -> bool:
    """Whether *line* is an Allow line, or a Disallow line with an empty value."""
    return is_allow(line) or (is_rule(line) and not line.value)


def _void(line: Line) -> Line:
    """Return *line* as a rule that covers no URL."""
    return rewritten(line, "Disallow", _NOWHERE)


def without_wildcards(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with `*` and `$` in paths as plain letters."""
    yield _with_values(lines, _without_special)


def question_without_wildcards(question: Question) -> Question:
    """Return *question* with `*` and `$` in its URL as the same plain letters."""
    return replace(question, url=_without_special(question.url))


def _without_special(text: str) -> str:
    """Return *text* without a character that is special to a parser."""
    return text.replace("*", "_w_").replace("$", "_d_")


def without_itself(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with another name for /robots.txt in its rules."""
    yield _with_values(lines, _renamed)


def question_without_itself(question: Question) -> Question | None:
    """Return *question* for that other name; None when it is about another path."""
    target = target_of(question.url)
    if canonical(target) != ROBOTS_TXT:
        return None
    head = question.url.partition("#")[0].removesuffix(target)
    return replace(question, url=head + _renamed(ROBOTS_TXT))


def _renamed(text: str) -> str:
    """Return *text* with another name for the file."""
    return text.replace("robots.txt", "robots-txt")


def without_spellings(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with its paths spelled in letters that are never encoded."""
    yield _with_values(
        lines, lambda value: _spelled(value.encode(lines.encoding, "surrogatepass"))
    )


def question_without_spellings(question: Question) -> Question:
    """Return *question* with its URL spelled in the same letters."""
    target = target_of(question.url)
    head = question.url.partition("#")[0].removesuffix(target)
    spelled = _spelled(target.encode("utf-8", "surrogatepass"))
    return replace(question, url=head + spelled)


def _spelled(path: bytes) -> str:
    """Return *path* percent-decoded, each byte that is not plain as letters."""
    # Ours O18: an encoded slash is not a slash.
    return "_x2F_".join(
        "".join(
            chr(byte) if byte in _PLAIN else f"_x{byte:02X}_"
            for byte in unquote_to_bytes(part)
        )
        for part in _ENCODED_SLASH.split(path)
    )


def without_encoding(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file as ASCII: other characters percent-encoded, controls replaced."""
    text = _CONTROLS.sub("_", Body(lines.body, is_truncated=False).text)
    errors = "surrogateescape"
    spelled = (it if it.isascii() else quote(it, errors=errors) for it in text)
    yield lines_of("".join(spelled).encode("ascii"), lines.dialect)


def without_order(lines: Lines, _robot: str) -> Iterator[Lines]:
    """Yield the file with neighbouring rules longest first, Allow first."""
    done: list[Line] = []
    run: list[Line] = []
    for line in lines.lines:
        if is_rule(line):
            run.append(line)
            continue
        done += _longest_first(run)
        run = []
        done.append(line)
    yield lines.of(done + _longest_first(run))


def _longest_first(run: list[Line]) -> list[Line]:
    """Return rules in the order in which the longest match decides."""
    ordered = sorted(run, key=lambda it: (-len(it.value), not is_allow(it)))
    return [with_ending(it) for it in ordered]


def _with_values(lines: Lines, change: Callable[[str], str]) -> Lines:
    """Return *lines* with all values but those of User-agent lines changed."""
    return lines.of(
        with_value(line, change(line.value))
        if says(line) and line.kind not in AGENT_KINDS and line.value
        else line
        for line in lines.lines
    )
