"""Minimise a difference that the oracle has found."""

from __future__ import annotations

import re
import time

from tests.oracle import asking
from tests.oracle.asking import Difference
from tests.oracle.reading import Reading

SECONDS_TO_MINIMISE = 10


def minimised(found: Difference) -> Difference:
    """Return a difference of the same kind as *found*, with a small file and a short URL."""
    best = found
    lines = lines_of(found.body)
    size = len(lines)
    until = time.monotonic() + SECONDS_TO_MINIMISE
    while size:
        start = 0
        while start < len(lines) and time.monotonic() < until:
            fewer = lines[:start] + lines[start + size :]
            retried = retry(best, joined(fewer, found.body), best.question.url)
            if retried:
                best, lines = retried, fewer
            else:
                start += size
        size //= 2
    place = len(best.question.url)
    while place > authority_end(best.question.url):
        place -= 1
        url = best.question.url
        shorter = without_character(url, place)
        retried = retry(best, best.body, shorter)
        best = retried or best
    return best


def retry(found: Difference, body: bytes | str, url: bytes | str) -> Difference | None:
    """Return the difference for *body* and *url*. Return `None` if there is no difference
    of the same kind as *found*.
    """
    question = found.question._replace(url=url)
    naive = Reading(body, found.dialect)
    expected, _ = asking.expect(naive, question)
    given = asking.ask(asking.parse(body, found.dialect), question)
    # The new difference must be of the same kind as *found*, because a wrong line and a
    # wrong answer have different causes.
    same = (expected.allowed == given[0]) == (found.expected.allowed == found.given[0])
    if expected == given or not same:
        return None
    return Difference(body, found.dialect, question, expected, given)


def lines_of(body: bytes | str) -> list[str]:
    """Return the lines of *body* with their line ends. Bytes are decoded as Latin-1."""
    text = body.decode("latin-1") if isinstance(body, bytes) else body
    return re.findall("[^\r\n]*(?:\r\n|\r|\n|$)", text)[:-1]


def without_character(url: bytes | str, index: int) -> bytes | str:
    """Return *url* without the character at *index*."""
    if isinstance(url, bytes):
        return url[:index] + url[index + 1 :]
    return url[:index] + url[index + 1 :]


def joined(lines: list[str], like: bytes | str) -> bytes | str:
    """Join *lines* into a file of the same type as *like* (bytes or text)."""
    text = "".join(lines)
    return text.encode("latin-1") if isinstance(like, bytes) else text


def authority_end(url: bytes | str) -> int:
    """Return the index at which the path of *url* begins, or 1 if *url* has no authority."""
    text = url.decode("latin-1") if isinstance(url, bytes) else url
    match = re.match("[A-Za-z]+://[^/?#]*", text)
    return match.end() if match else 1
