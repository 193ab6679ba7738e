"""The file as a whole: what it is instead of a robots.txt, what was left out or
replaced on the way from its bytes to its lines.
"""

import re
from collections.abc import Iterator

from scrapy_robots1994.checks.problem import ERROR, INFO, WARNING, Finding, Kind
from scrapy_robots1994.parser.body import Body, encoding_of
from scrapy_robots1994.parser.records import Contents
from scrapy_robots1994.parser.tokens import Line, LineKind

MARK = Kind(
    "R012",
    "O16",
    INFO,
    "byte order mark",
    "a byte order mark is left out",
    "Save the file as UTF-8 without a mark: other robots lose the first line.",
)
UNDECODABLE = Kind(
    "R013",
    "O17",
    WARNING,
    "bytes that are no UTF-8",
    "bytes that are not text in the encoding of the file",
    "Save the file as UTF-8, or write such characters percent-encoded.",
)
CUT = Kind(
    "R014",
    "O24",
    WARNING,
    "file over the size limit",
    "the file is longer than what is read of it; from here on nothing is obeyed",
    "Shorten the file: one short rule stands for all paths that begin with it.",
)
HTML = Kind(
    "R025",
    "O23",
    ERROR,
    "HTML or XML",
    "the file begins as a page of HTML or XML does, and is read literally",
    "Serve plain text at /robots.txt, or answer 404 when there is no such file.",
)
LONE_CR = Kind(
    "R027",
    "F2",
    WARNING,
    "lines ended by CR alone",
    "CR alone ends {} line(s), this one first",
    "End lines with NL or CR NL: other robots may read all of them as one line.",
)

KINDS = (MARK, UNDECODABLE, CUT, HTML, LONE_CR)

# A byte that is not UTF-8, or what stands for a part of broken UTF-16.
_UNDECODABLE = re.compile("[\udc80-\udcff\ufffd]")
_EMPTY = (LineKind.BLANK, LineKind.COMMENT)


def in_bytes(body: Body, contents: Contents) -> Iterator[Finding]:
    """Yield what was left out or replaced on the way from the bytes to the lines."""
    data, text = body.data, body.text
    mark, encoding = encoding_of(data)
    if mark:
        # Ours O16
        yield MARK.at(1, 1)
    if not data.startswith(mark + text.encode(encoding, "replace")):
        # Ours O17
        for line in contents.lines:
            undecodable = _UNDECODABLE.search(line.text)
            if undecodable:
                yield UNDECODABLE.at(line.number, undecodable.start() + 1)
    if body.is_truncated:
        # Ours O24
        yield CUT.at(len(contents.lines) + 1, 1)


def in_whole(contents: Contents) -> Iterator[Finding]:
    """Yield what the file is instead of a robots.txt, and how its lines end."""
    said = _first_said(contents)
    if said is not None and is_page(contents):
        # Ours O23
        yield HTML.at(said.number, said.text.index("<") + 1)
    alone = [line for line in contents.lines if line.ending == "\r"]
    if alone:
        # 1994 F2
        yield LONE_CR.at(alone[0].number, max(len(alone[0].text), 1), str(len(alone)))


def is_page(contents: Contents) -> bool:
    """Whether the file begins as a page of HTML or XML does."""
    said = _first_said(contents)
    return said is not None and said.text.lstrip().startswith("<")


def _first_said(contents: Contents) -> Line | None:
    """Return the first line that is neither blank nor a comment, if there is one."""
    return next((it for it in contents.lines if it.kind not in _EMPTY), None)
