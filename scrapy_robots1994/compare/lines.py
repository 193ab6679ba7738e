"""Lines of a body, such that any of them can be taken out or changed without touching a
byte of the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scrapy_robots1994.parser.body import encoding_of
from scrapy_robots1994.parser.dialects import dialect_named
from scrapy_robots1994.parser.tokens import COMMENT, SPACE, Line, LineKind, read_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

AGENT_KINDS = frozenset({LineKind.USER_AGENT, LineKind.NAMELESS})
_SILENT = frozenset({LineKind.BLANK, LineKind.COMMENT, LineKind.MALFORMED})

# One character a byte: nothing is lost or mended by decoding and encoding again.
LOSSLESS = "latin-1"


@dataclass(frozen=True, slots=True)
class Lines:
    """A body as its byte order mark, the encoding that keeps every byte, and lines.

    Values of lines are characters of *encoding*, so mostly bytes and not text. *dialect*
    says of which kinds the lines are.
    """

    mark: bytes
    encoding: str
    lines: tuple[Line, ...]
    dialect: str = "1994"

    @property
    def body(self) -> bytes:
        """The bytes again."""
        text = "".join(line.text + line.ending for line in self.lines)
        return self.mark + text.encode(self.encoding, "surrogatepass")

    def only(self, places: Collection[int]) -> Lines:
        """Return the lines at these *places* (from 0)."""
        return self.of(self.lines[place] for place in sorted(places))

    def of(self, lines: Iterable[Line]) -> Lines:
        """Return other lines of the same mark and encoding."""
        return replace(self, lines=tuple(lines))


def lines_of(body: bytes, dialect: str = "1994") -> Lines:
    """Return the lines of *body*, numbered as our parser numbers them."""
    mark, encoding = encoding_of(body)
    rest = body.removeprefix(mark)
    if encoding == "utf-8":
        encoding, text = LOSSLESS, rest.decode(LOSSLESS)
    else:
        text = rest.decode(encoding, "replace")
    lines = tuple(read_lines(text, dialect_named(dialect)))
    return Lines(mark, encoding, lines, dialect)


def says(line: Line) -> bool:
    """Whether *line* has a field: it is neither blank, comment nor malformed."""
    return line.kind not in _SILENT


def is_agent(line: Line) -> bool:
    """Whether *line* is a User-agent line."""
    return line.kind in AGENT_KINDS


def is_allow(line: Line) -> bool:
    """Whether *line* has the field Allow, which only some dialects know."""
    return line.field.lower() == "allow"


def is_rule(line: Line) -> bool:
    """Whether *line* is a Disallow or an Allow line."""
    return line.kind in {LineKind.DISALLOW, LineKind.ORPHAN} or is_allow(line)


def with_value(line: Line, value: str) -> Line:
    """Return *line* with another value; its spaces and its comment stay."""
    head, _, rest = line.text.partition(":")
    content, mark, comment = rest.partition(COMMENT)
    lead = content[: len(content) - len(content.lstrip(SPACE))]
    tail = content[len(content.rstrip(SPACE)) :] if content.strip(SPACE) else ""
    text = f"{head}:{lead}{value}{tail}{mark}{comment}"
    return line._replace(text=text, value=value)


def rewritten(line: Line, field: str, value: str) -> Line:
    """Return *line* saying something else, its end as it was."""
    ending = line.ending or "\n"
    text = f"{field}: {value}"
    return line._replace(text=text, ending=ending, field=field, value=value)


def with_ending(line: Line) -> Line:
    """Return *line* with an end, so that another may follow it."""
    return line if line.ending else line._replace(ending="\n")


def blank_like(line: Line) -> Line:
    """Return a blank line that ends as *line* does."""
    ending = line.ending or "\n"
    return Line(line.number, LineKind.BLANK, "", ending)
